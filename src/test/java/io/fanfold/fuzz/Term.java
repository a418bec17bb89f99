package io.fanfold.fuzz;

import java.util.List;

/**
 * An element of GROUP BY or ORDER BY.
 *
 * @param expr its expression
 * @param form how it is written; if the select list does not contain the expression, it is written as an expression
 * @param descending whether it is followed by DESC
 */
record Term(Expr expr, Form form, boolean descending) {
    /** How an element is written. */
    enum Form {
        EXPRESSION,
        ALIAS,
        POSITION
    }

    String sql(List<Item> items) {
        return reference(items) + (descending ? " DESC" : "");
    }

    private String reference(List<Item> items) {
        for (int i = 0; i < items.size() && form != Form.EXPRESSION; i++) {
            Item item = items.get(i);
            if (item.expr().same(expr)
                    && (form == Form.POSITION || !item.alias().isEmpty())) {
                return form == Form.POSITION ? Integer.toString(i + 1) : item.alias();
            }
        }
        return expr.sql();
    }
}
