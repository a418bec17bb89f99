package io.fanfold.fuzz;

/**
 * An element of a select list.
 *
 * @param expr its expression
 * @param alias as it is written, "" for none
 */
record Item(Expr expr, String alias) {
    String sql() {
        return expr.sql() + (alias.isEmpty() ? "" : " AS " + alias);
    }
}
