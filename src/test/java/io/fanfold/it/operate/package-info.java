/** What an operator sees and decides: EXPLAIN. */
@NullMarked
package io.fanfold.it.operate;

import org.jspecify.annotations.NullMarked;
