package io.fanfold.reuse;

import io.fanfold.catalog.TableName;
import java.util.OptionalInt;

/**
 * A table that a partition query reads, or one of its partitions.
 *
 * @param partition its place among the table's partitions, from 0; empty for the whole table
 */
public record Source(TableName table, OptionalInt partition) {}
