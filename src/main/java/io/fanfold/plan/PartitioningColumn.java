package io.fanfold.plan;

/**
 * An input that is taken for one of the columns by which a table is partitioned, as far as the text tells.
 *
 * @param input the input with the column
 * @param name the column's name as the partitioning has it
 */
public record PartitioningColumn(int input, String name) {}
