package io.fanfold.plan;

/**
 * An input that is one of a table's partitioning columns, according to the text.
 *
 * @param input the input with the column
 * @param name the column's name in the partitioning
 */
public record PartitioningColumn(int input, String name) {}
