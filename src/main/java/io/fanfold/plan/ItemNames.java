package io.fanfold.plan;

import io.fanfold.metrics.Reason;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.ColumnRef;
import io.fanfold.sql.SelectModel.Expr;
import io.fanfold.sql.SelectModel.SelectItem;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What names in GROUP BY, HAVING and ORDER BY mean. A name that is an alias is taken as such only under the condition
 * that no table of the statement has a column of that name; the condition is collected and checked against the tables'
 * definitions later. For one statement, one thread.
 */
final class ItemNames {
    private final List<SelectItem> items;
    private final Set<String> notColumns = new HashSet<>();

    ItemNames(SelectModel model) {
        this.items = model.items();
    }

    /** Names that must turn out not to be columns, in lower case. */
    Set<String> notColumns() {
        return notColumns;
    }

    /**
     * The index of the item whose alias an expression is; empty when it is none, or when the alias only repeats the
     * name of the column it stands for, so that alias and column are the same thing.
     */
    Optional<Integer> aliased(Expr expr) throws Refusal {
        return expr.kind() == Expr.Kind.COLUMN ? aliased(expr.columns().get(0)) : Optional.empty();
    }

    /** The same for a name inside an expression. */
    Optional<Integer> aliased(ColumnRef column) throws Refusal {
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
                throw new Refusal(Reason.AMBIGUOUS_NAME, column.name());
            }
            found = Optional.of(i);
        }
        if (found.isPresent() && standsForItself(items.get(found.get()))) {
            return Optional.empty();
        }
        if (found.isPresent()) {
            notColumns.add(column.name().toLowerCase(Locale.ROOT));
        }
        return found;
    }

    /** The item at a 1-based position. */
    SelectItem atPosition(String literal) throws Refusal {
        int position;
        try {
            position = Integer.parseInt(literal);
        } catch (NumberFormatException e) {
            throw new Refusal(Reason.UNSUPPORTED_SYNTAX, "position " + literal);
        }
        boolean star = items.stream().anyMatch(item -> item.expr().kind() == Expr.Kind.STAR);
        if (star || position < 1 || position > items.size()) {
            throw new Refusal(Reason.UNSUPPORTED_SYNTAX, "position " + literal);
        }
        return items.get(position - 1);
    }

    private static boolean standsForItself(SelectItem item) {
        Expr expr = item.expr();
        return expr.kind() == Expr.Kind.COLUMN
                && item.alias() != null
                && expr.columns().get(0).name().equalsIgnoreCase(item.alias());
    }
}
