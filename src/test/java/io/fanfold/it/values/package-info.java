/** Column types, collations and values whose rules differ from the plain ones. */
@NullMarked
package io.fanfold.it.values;

import org.jspecify.annotations.NullMarked;
