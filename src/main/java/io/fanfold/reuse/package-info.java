/** Rows of partition queries that are used again while the server's binary log shows no change of their tables. */
@NullMarked
package io.fanfold.reuse;

import org.jspecify.annotations.NullMarked;
