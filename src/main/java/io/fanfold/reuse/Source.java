package io.fanfold.reuse;

import io.fanfold.catalog.TableName;
import java.util.OptionalInt;

/**
 * A table that a partition query reads, or one of its partitions.
 *
 * @param foreignKeys whether a foreign key may change its rows together with those of another table
 * @param partition its place among the table's partitions, from 0; empty for the whole table
 */
public record Source(TableName table, boolean foreignKeys, OptionalInt partition) {}
