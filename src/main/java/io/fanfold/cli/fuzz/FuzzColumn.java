package io.fanfold.cli.fuzz;

/**
 * A column that the generator knows.
 *
 * @param name plain name
 * @param definition what stands behind the name in CREATE TABLE
 * @param type what its values are
 * @param weight how often it is taken, 0 or more
 */
record FuzzColumn(String name, String definition, ValueType type, int weight) {}
