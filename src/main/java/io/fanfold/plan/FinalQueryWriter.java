package io.fanfold.plan;

import io.fanfold.catalog.TableName;
import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.FanOutPlan.Completion;
import io.fanfold.plan.FanOutPlan.Portions;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.SelectModel;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Writes the final query of an aggregation, which the server runs over the merged rows. For one plan, one thread. */
final class FinalQueryWriter {
    /**
     * Keeps the server from merging the block into the statement around it. As a table of its own, its values have the
     * same digits as those of the original block.
     */
    private static final String NO_LIMIT = " LIMIT 18446744073709551615";

    private final LogicalPlan logical;
    private final SelectModel model;
    private final LogicalAggregation shape;
    private final FinalQueryUse use;
    private final FinalQueryEncodings encodings;
    private final TypedBlock block;
    private final PlanRules rules;

    FinalQueryWriter(LogicalPlan logical, FinalQueryUse use, TypeBinding types, TypedBlock block, PlanRules rules) {
        this.logical = logical;
        this.model = logical.model();
        this.shape = block.shape();
        this.use = use;
        this.encodings = new FinalQueryEncodings(logical, shape, use, types, block.flavor());
        this.block = block;
        this.rules = rules;
    }

    /**
     * Writes the query.
     *
     * @param keys how many merged columns are keys, including those that are only sorted by
     * @param sortColumns maps keys that do not sort themselves to the merged column to sort by instead
     * @param sortedByKeys whether the server sorts the groups by their keys without ORDER BY
     * @param portions the rows of all portions that are the answer, if merged rows may be sent in portions
     */
    Completion.FinalQuery write(
            int keys, Map<Integer, Integer> sortColumns, boolean sortedByKeys, Optional<Portions> portions)
            throws RefusedException {
        List<ColumnEncoding> declared = encodings.of(sortColumns);
        RefusedException.throwIf(rules.ofFinalQuery(block, declared));
        FinalQueryColumns refs =
                new FinalQueryColumns(declared, keys, sortColumns, shape.rollup() ? shape.aggregates() : List.of());
        String before = beforeTable(refs);
        String after = afterTable(refs, sortedByKeys)
                + portions.map(FinalQueryWriter::limit).orElseGet(this::limit);
        return new Completion.FinalQuery(declared, before, after, portions);
    }

    private String beforeTable(FinalQueryColumns refs) {
        // one row is distinct, and without a temporary table its values are shown as in the original
        boolean distinct = shape.distinctRows() && shape.grouped();
        StringBuilder before = new StringBuilder(distinct ? "SELECT DISTINCT " : "SELECT ");
        for (int i = 0; i < shape.items().size(); i++) {
            before.append(i == 0 ? "" : ", ").append(shape.items().get(i).render(refs::render));
            if (logical.placement().isPresent()) {
                before.append(" AS ")
                        .append(TableName.quote(
                                logical.placement().get().names().get(i)));
            }
        }
        return before.append(" FROM ").toString();
    }

    private String afterTable(FinalQueryColumns refs, boolean sortedByKeys) {
        StringBuilder after = new StringBuilder();
        if (shape.grouping() > 0) {
            after.append(IntStream.range(0, shape.grouping())
                            .mapToObj(key -> refs.render(new Template.KeyRef(key)))
                            .collect(Collectors.joining(", ", " GROUP BY ", "")))
                    .append(shape.rollup() ? " WITH ROLLUP" : "");
        }
        // merged groups are rows here, so their HAVING becomes a WHERE
        String condition = shape.rollup() || shape.materialized().isPresent() ? " HAVING " : " WHERE ";
        shape.having().ifPresent(having -> after.append(condition).append(having.render(refs::render)));
        if (!shape.orderBy().isEmpty()) {
            after.append(shape.orderBy().stream()
                    .map(item -> refs.renderOrder(item, use))
                    .collect(Collectors.joining(", ", " ORDER BY ", "")));
        } else if (sortedByKeys && !logical.unordered()) {
            after.append(IntStream.range(0, shape.keys().size())
                    .mapToObj(refs::renderSort)
                    .collect(Collectors.joining(", ", " ORDER BY ", "")));
        }
        return after.toString();
    }

    private String limit() {
        if (model.limit().isPresent()) {
            return ' ' + model.limit().get().span().of(model.sql());
        }
        return logical.placement().isPresent() && !logical.unordered() ? NO_LIMIT : "";
    }

    /** Returns a limit for each portion: no portion needs more rows than all of them together. */
    private static String limit(Portions portions) {
        long rest = Long.MAX_VALUE - portions.offset();
        return portions.count() >= rest ? "" : " LIMIT " + (portions.offset() + portions.count());
    }
}
