/** The answers of split statements equal those of the server. */
@NullMarked
package io.fanfold.it.answers;

import org.jspecify.annotations.NullMarked;
