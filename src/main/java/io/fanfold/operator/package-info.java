/**
 * Merges the partial rows of partition queries: aggregation, DISTINCT, sorting, LIMIT and streaming, under a memory
 * budget in bytes.
 *
 * <p>It works on values and plans only: it opens no connection, writes no SQL, and does not distinguish MySQL from
 * MariaDB.
 */
@NullMarked
package io.fanfold.operator;

import org.jspecify.annotations.NullMarked;
