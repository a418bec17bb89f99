/** Prepared statements and their parameters. */
@NullMarked
package io.fanfold.it.prepared;

import org.jspecify.annotations.NullMarked;
