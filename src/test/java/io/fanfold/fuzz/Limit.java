package io.fanfold.fuzz;

/**
 * The LIMIT clause of a statement.
 *
 * @param rows the number of rows
 * @param offset the number of rows skipped before; -1 for no offset
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
