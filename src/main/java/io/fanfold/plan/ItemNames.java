package io.fanfold.plan;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Expr;
import io.fanfold.sql.Expr.ColumnRef;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.SelectItem;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Resolves names in GROUP BY, HAVING and ORDER BY. A name is taken for an alias only on the condition that no table of
 * the statement has a column of that name. The conditions are collected here and checked against the table definitions
 * later. For one statement, one thread.
 */
final class ItemNames {
    private final List<SelectItem> items;
    private final Set<String> shadowingAliases = new HashSet<>();

    ItemNames(SelectModel model) {
        this.items = model.items();
    }

    /** Returns the names, in lower case, that must turn out not to be columns. */
    Set<String> shadowingAliases() {
        return shadowingAliases;
    }

    /**
     * Returns the index of the item whose alias an expression is. Empty if it is no alias, or if the alias repeats the
     * name of its column, so that both mean the same.
     */
    Optional<Integer> aliased(Expr expr) throws RefusedException {
        return expr.kind() == Expr.ExprKind.COLUMN ? aliased(expr.columns().get(0)) : Optional.empty();
    }

    /** Returns the index of the item whose alias a name inside an expression is, under the same conditions. */
    Optional<Integer> aliased(ColumnRef column) throws RefusedException {
        if (column.qualifier() != null) {
            return Optional.empty();
        }
        Optional<Integer> found = Optional.empty();
        for (int i = 0; i < items.size(); i++) {
            SelectItem item = items.get(i);
            if (item.alias() == null || !item.alias().equalsIgnoreCase(column.name())) {
                continue;
            }
            if (found.isPresent()) {
                throw new RefusedException(Reason.AMBIGUOUS_NAME, column.name());
            }
            found = Optional.of(i);
        }
        if (found.isPresent() && standsForItself(items.get(found.get()))) {
            return Optional.empty();
        }
        if (found.isPresent()) {
            shadowingAliases.add(column.name().toLowerCase(Locale.ROOT));
        }
        return found;
    }

    /** Returns the item at a 1-based position. */
    SelectItem atPosition(String literal) throws RefusedException {
        int position;
        try {
            position = Integer.parseInt(literal);
        } catch (NumberFormatException e) {
            throw new RefusedException(Reason.UNSUPPORTED_SYNTAX, "position " + literal);
        }
        boolean star = items.stream().anyMatch(item -> item.expr().kind() == Expr.ExprKind.STAR);
        if (star || position < 1 || position > items.size()) {
            throw new RefusedException(Reason.UNSUPPORTED_SYNTAX, "position " + literal);
        }
        return items.get(position - 1);
    }

    private static boolean standsForItself(SelectItem item) {
        Expr expr = item.expr();
        return expr.kind() == Expr.ExprKind.COLUMN
                && item.alias() != null
                && expr.columns().get(0).name().equalsIgnoreCase(item.alias());
    }
}
