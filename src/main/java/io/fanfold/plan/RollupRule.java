package io.fanfold.plan;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Expr;
import io.fanfold.sql.SelectModel;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;

/**
 * Decides whether WITH ROLLUP can be split. The partition queries group without it. The final query groups the merged
 * rows, one for each group, again with it, so that the server itself makes the super-aggregate rows. The answer is the
 * same if the server treats a merged column like the key itself. Measured on MySQL 9.7.4 and MariaDB 10.11:
 *
 * <ul>
 *   <li>MariaDB does not set a key to NULL that is an expression inside a larger one: {@code YEAR(d) + 1} has a value
 *       in a super-aggregate row. Over merged columns it would be NULL.
 *   <li>MariaDB shows a key that is a comparison as 1 in its super-aggregate row, where NULL is expected. So keys must
 *       be columns there.
 *   <li>MariaDB evaluates {@code HAVING k IS NULL} as false if {@code k} is NOT NULL, which a merged column never is.
 *   <li>MariaDB sets only one of two equal keys to NULL, and also only one if a key is shown twice under two names.
 *   <li>MariaDB shows super-aggregate rows that HAVING excludes if the select list is DISTINCT and has an expression of
 *       an aggregate. Every COUNT is such an expression, since it is a computed SUM over merged rows.
 *   <li>MySQL keeps joined rows in a temporary table to group them. There it computes expressions of keys and
 *       aggregates with the last group's key: {@code k + MIN(a)} is wrong in every other group.
 * </ul>
 */
final class RollupRule {
    private final boolean rollup;
    private final boolean joined;
    private final boolean distinct;
    private final ServerFlavor flavor;

    RollupRule(SelectModel model, ServerFlavor flavor) {
        this.rollup = model.rollup();
        this.joined = model.tables().size() > 1;
        this.distinct = model.distinct();
        this.flavor = flavor;
    }

    /** Requires that every grouping expression is a key of its own. */
    void requireDifferentKeys(int written, int different) throws RefusedException {
        if (rollup && written != different) {
            throw new RefusedException(Reason.ROLLUP, "a key stands twice");
        }
    }

    /**
     * Refuses a key that is computed from another one: in HAVING, MySQL computes it again from the NULL of a
     * super-aggregate row.
     */
    void requireApartKeys(List<Expr> keys) throws RefusedException {
        boolean inside = keys.stream()
                .filter(key -> key.kind() != Expr.ExprKind.COLUMN)
                .flatMap(key -> key.columns().stream())
                .anyMatch(column -> keys.stream()
                        .filter(key -> key.kind() == Expr.ExprKind.COLUMN)
                        .anyMatch(key -> key.columns().get(0).name().equalsIgnoreCase(column.name())));
        if (rollup && inside) {
            throw new RefusedException(Reason.ROLLUP, "a key that is computed of another key");
        }
    }

    /** Requires on MariaDB that every key is a column. */
    void requireColumns(List<Expr> keys) throws RefusedException {
        if (rollup && flavor.isMariaDb() && keys.stream().anyMatch(key -> key.kind() != Expr.ExprKind.COLUMN)) {
            throw new RefusedException(Reason.ROLLUP, "a key that is an expression");
        }
    }

    /** Refuses HAVING with DISTINCT on MariaDB. */
    void requireNotDistinct(Optional<Template> having) throws RefusedException {
        if (rollup && flavor.isMariaDb() && distinct && having.isPresent()) {
            throw new RefusedException(Reason.ROLLUP, "HAVING beside DISTINCT");
        }
    }

    void requireNoKey(Optional<Template> having) throws RefusedException {
        boolean key = having.stream()
                .flatMap(template -> template.pieces().stream())
                .anyMatch(Template.KeyRef.class::isInstance);
        if (rollup && flavor.isMariaDb() && key) {
            throw new RefusedException(Reason.ROLLUP, "a key in HAVING");
        }
    }

    /** Refuses on MariaDB a key that is shown twice. */
    void requireShownOnce(List<Template> items) throws RefusedException {
        long shown = items.stream().filter(RollupRule::key).count();
        long different = items.stream().filter(RollupRule::key).distinct().count();
        if (rollup && flavor.isMariaDb() && shown != different) {
            throw new RefusedException(Reason.ROLLUP, "a key is shown twice");
        }
    }

    /** Refuses on MySQL expressions of a key and an aggregate over joined tables. */
    void requireApart(List<Template> templates) throws RefusedException {
        boolean mixed = templates.stream()
                .anyMatch(template -> template.pieces().stream().anyMatch(Template.KeyRef.class::isInstance)
                        && template.pieces().stream().anyMatch(RollupRule::aggregated));
        if (rollup && joined && flavor.isMySql() && mixed) {
            throw new RefusedException(Reason.ROLLUP, "an expression of a key and an aggregate over joined tables");
        }
    }

    private static boolean aggregated(Template.Piece piece) {
        return piece instanceof Template.AggregateRef || piece instanceof Template.QuotientRef;
    }

    private static boolean key(Template item) {
        return item.bare() && item.pieces().get(0) instanceof Template.KeyRef;
    }

    void requireNoDistinct(List<Integer> distinctArguments) throws RefusedException {
        if (rollup && !distinctArguments.isEmpty()) {
            throw new RefusedException(Reason.ROLLUP, "a DISTINCT aggregate over several groups");
        }
    }

    /** Refuses aggregates that cannot be computed from their values for groups. */
    void requireNoVariance(List<LogicalAggregate> accumulators) throws RefusedException {
        boolean other = accumulators.stream()
                .anyMatch(accumulator -> accumulator instanceof LogicalAggregate.LogicalVariance
                        || accumulator instanceof LogicalAggregate.LogicalAnyValue);
        if (rollup && other) {
            throw new RefusedException(Reason.ROLLUP, "ANY_VALUE or a variance over several groups");
        }
    }
}
