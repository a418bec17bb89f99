package io.fanfold.fuzz;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * SELECT blocks with set operators between them. Immutable.
 *
 * @param parts two or more blocks
 * @param operator the words between them, such as UNION ALL
 * @param ordered the number of columns it sorts by, from the first
 * @param limit null for none
 */
record Union(
        List<Query> parts,
        String operator,
        int ordered,
        @Nullable Limit limit) implements Statement {
    Union {
        parts = List.copyOf(parts);
    }

    @Override
    public String sql() {
        StringBuilder sql = new StringBuilder();
        for (Query part : parts) {
            sql.append(sql.isEmpty() ? "" : " " + operator + " ");
            boolean tail = !part.orders().isEmpty() || part.limit() != null;
            sql.append(tail ? "(" : "").append(part.sql()).append(tail ? ")" : "");
        }
        for (int i = 1; i <= ordered; i++) {
            sql.append(i == 1 ? " ORDER BY " : ", ").append(i);
        }
        return sql.append(limit == null ? "" : limit.sql()).toString();
    }

    @Override
    public Union unlimited() {
        return new Union(parts, operator, ordered, null);
    }

    /**
     * The expectation for rows of several blocks. Their order is not compared; strings are compared only if they are
     * certain in every block.
     */
    @Override
    public Expectation expectation() {
        List<Expectation.Openness> open = new ArrayList<>();
        boolean sound = true;
        for (Query part : parts) {
            Expectation inner = part.expectation();
            boolean open1 = inner.columns().stream().anyMatch(column -> !column.closed());
            sound &= inner.sound() && !open1 && (part.limit() == null || inner.total());
            open = new ArrayList<>(inner.columns());
        }
        boolean texts = parts.stream()
                .flatMap(part -> part.items().stream())
                .anyMatch(item -> !item.expr().type().clean());
        return new Expectation(sound && !(texts && !operator.endsWith("ALL")), false, limit != null, open, List.of());
    }
}
