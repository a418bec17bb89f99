package io.fanfold.cli.fuzz;

/**
 * The end of a statement.
 *
 * @param rows how many rows
 * @param offset how many are left out before; -1 when nothing is said
 * @param comma whether it is written {@code offset, rows}
 */
record Limit(long rows, long offset, boolean comma) {
    String sql() {
        if (offset < 0) {
            return " LIMIT " + rows;
        }
        return comma ? " LIMIT " + offset + ", " + rows : " LIMIT " + rows + " OFFSET " + offset;
    }
}
