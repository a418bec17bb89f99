package io.fanfold.plan;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.PartitionedTable;
import io.fanfold.metrics.Reason;
import io.fanfold.plan.SplitDecision.PassThrough;
import io.fanfold.plan.SplitDraft.Frame;
import io.fanfold.row.Column;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.Hint;
import io.fanfold.sql.SelectModel.Place;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.Span;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Decides whether and how a SELECT is split. Stateless but for the kind of server; safe for all threads. */
public final class SplitPlanner {
    /** Optimizer hints that do more than guide the plan. */
    private static final Pattern SETS_VARIABLES =
            Pattern.compile("SET_VAR|MAX_EXECUTION_TIME|RESOURCE_GROUP", Pattern.CASE_INSENSITIVE);

    private final boolean mariaDb;
    private final boolean approximate;

    /**
     * A planner for statements of a server of that kind.
     *
     * @param approximate whether every statement may be split into an approximate answer, as by the hint APPROXIMATE
     */
    public SplitPlanner(boolean mariaDb, boolean approximate) {
        this.mariaDb = mariaDb;
        this.approximate = approximate;
    }

    /**
     * The first step, from the text alone.
     *
     * @param schema the session's default database, null when it has none or it is not known yet; then an unqualified
     *     name is taken to be any table of that name
     * @return a {@link SplitDraft} or {@link PassThrough}
     */
    public SplitDecision draft(SelectModel model, @Nullable String schema, CatalogSnapshot catalog) {
        try {
            if (model.hint() instanceof Hint.NoParallel) {
                throw new Refusal(Reason.HINT, "NO_PARALLEL");
            }
            if (SETS_VARIABLES.matcher(model.serverHints()).find()) {
                throw new Refusal(Reason.HINT, model.serverHints());
            }
            SelectModel allowed = approximate && !model.approximate() ? model.withHint(model.hint(), true) : model;
            Optional<SelectModel.Derived> framed = framed(allowed, schema, catalog);
            return framed.isPresent()
                    ? inFrame(allowed, framed.get(), schema, catalog)
                    : block(allowed, schema, catalog);
        } catch (Refusal refusal) {
            return refusal.toDecision();
        }
    }

    /**
     * The derived table to be split by itself: one that cannot be split like a table, in a statement that has no larger
     * partitioned table to be split.
     */
    private static Optional<SelectModel.Derived> framed(
            SelectModel model, @Nullable String schema, CatalogSnapshot catalog) {
        boolean another = model.tables().stream()
                .anyMatch(table -> table.place() != Place.SUBQUERY
                        && found(table, schema, catalog).isPresent());
        return another
                ? Optional.empty()
                : model.derived().stream()
                        .max(Comparator.comparingLong(derived -> largest(derived.block(), schema, catalog)))
                        .filter(derived -> largest(derived.block(), schema, catalog) >= 0);
    }

    /** The estimated rows of a block's largest partitioned table, -1 when it has none. */
    private static long largest(SelectModel block, @Nullable String schema, CatalogSnapshot catalog) {
        return block.tables().stream()
                .flatMap(table -> found(table, schema, catalog).stream())
                .mapToLong(PartitionedTable::estimatedRows)
                .max()
                .orElse(-1);
    }

    private SplitDecision inFrame(
            SelectModel statement, SelectModel.Derived derived, @Nullable String schema, CatalogSnapshot catalog)
            throws Refusal {
        SplitDecision decision =
                draft(derived.block().withHint(statement.hint(), statement.approximate()), schema, catalog);
        if (!(decision instanceof SplitDraft inner)) {
            return decision;
        }
        if (!(inner.shape() instanceof SplitDraft.Aggregation)
                || derived.columns().isEmpty()) {
            throw new Refusal(Reason.NO_SHAPE, "plain rows in a derived table");
        }
        int end = statement.sql().length();
        String before = statement.forServer(new Span(0, derived.body().start()));
        String after = statement.forServer(new Span(derived.body().end(), end));
        boolean others = statement.tables().size() > derived.block().tables().size();
        Frame frame = inner.frame()
                .map(within -> new Frame(
                        statement,
                        before + within.before(),
                        within.after() + after,
                        within.names(),
                        others || within.readsTables()))
                .orElseGet(() ->
                        new Frame(statement, before, after, derived.columns().get(), others));
        return new SplitDraft(
                inner.model(), inner.split(), inner.inputs(), inner.shape(), inner.notColumns(), Optional.of(frame));
    }

    private SplitDraft block(SelectModel model, @Nullable String schema, CatalogSnapshot catalog) throws Refusal {
        for (SelectModel.Derived derived : model.derived()) {
            if (derived.openAnswer().isPresent()) {
                throw new Refusal(Reason.SUBQUERY, derived.openAnswer().get());
            }
        }
        TableRef split = splitTable(model, schema, catalog);
        boolean folded = model.aggregated() || !model.groupBy().isEmpty() || model.distinct();
        if (!folded && model.having().isPresent()) {
            throw new Refusal(Reason.UNSUPPORTED_SYNTAX, "HAVING without GROUP BY");
        }
        if (model.groupBy().isEmpty() && model.aggregated() && onlyAnyValue(model)) {
            throw new Refusal(Reason.AGGREGATE, "ANY_VALUE without groups, which is no aggregate");
        }
        if (model.windowed() && model.groupBy().isEmpty()) {
            // plain rows are the server's to sort; over one row of aggregates MariaDB has MAX(MIN(x)) OVER () as NULL
            throw new Refusal(Reason.WINDOW, "no groups");
        }
        if (model.windowed() && model.rollup()) {
            throw new Refusal(Reason.ROLLUP, "window functions over super rows");
        }
        SplitDraft draft =
                folded ? new AggregationDrafter(model, mariaDb).draft(split) : new RowsDrafter(model).draft(split);
        refuseDerivedNames(model, draft.notColumns());
        return draft;
    }

    /**
     * The second step, with what the server says of the typing query.
     *
     * @param types one column definition for each of {@link #typingQuery}'s columns, read with
     *     {@code character_set_results} NULL so that collations are the expressions' own
     * @param visibleColumns how many columns the statement's own answer has
     * @param pads the weights of one blank, by collation
     * @param momentsAreLocal whether every moment has a local time of its own in the session's time zone
     * @return a {@link FanOutPlan} or {@link PassThrough}
     */
    public SplitDecision complete(
            SplitDraft draft,
            List<Column> types,
            int visibleColumns,
            CatalogSnapshot catalog,
            PadWeights pads,
            boolean momentsAreLocal) {
        if (types.size() != draft.inputs().size()) {
            return new PassThrough(
                    Reason.PREPARE_FAILED,
                    "typing query has " + types.size() + " columns (expected: "
                            + draft.inputs().size() + ")");
        }
        try {
            KeyTypes.ServerTraits server = new KeyTypes.ServerTraits(mariaDb, momentsAreLocal);
            return new PlanCompleter(draft, new KeyTypes(types, catalog, pads, server), mariaDb)
                    .complete(visibleColumns);
        } catch (Refusal refusal) {
            return refusal.toDecision();
        }
    }

    /**
     * A query whose column definitions tell the types of everything the split computes. It is only prepared, never run.
     * Needs an sql_mode without ONLY_FULL_GROUP_BY.
     */
    public static String typingQuery(SplitDraft draft) {
        StringBuilder sql = new StringBuilder("SELECT ");
        for (int i = 0; i < draft.inputs().size(); i++) {
            sql.append(i == 0 ? "" : ", ").append(draft.inputs().get(i).sql());
        }
        sql.append(' ').append(draft.model().from().of(draft.model().sql()));
        draft.model()
                .where()
                .ifPresent(where -> sql.append(" WHERE ")
                        .append(where.span().of(draft.model().sql())));
        return sql.toString();
    }

    /**
     * Whether partition queries must deliver text in the client's own results character set, because merged rows are the
     * answer as they are; else in utf8mb4.
     */
    public boolean rowsAsClient(SplitDraft draft) {
        return PlanCompleter.rowsAsClient(draft, mariaDb);
    }

    /** Whether the statement only counts all rows of the one table, which InnoDB of MySQL does in parallel by itself. */
    public boolean countsAllRows(SelectModel model) {
        return !mariaDb
                && model.where().isEmpty()
                && model.groupBy().isEmpty()
                && model.tables().size() == 1
                && model.derived().isEmpty()
                && model.items().stream()
                        .allMatch(item -> item.expr().kind() == SelectModel.Expr.Kind.AGGREGATE
                                && item.expr().aggregates().get(0).function() == SelectModel.AggregateFunction.COUNT
                                && !item.expr().aggregates().get(0).distinct()
                                && item.expr().aggregates().get(0).arguments().isEmpty());
    }

    /** Whether the statement shows all rows of one table as they are, in any order: only the client's own speed counts then. */
    public boolean showsAllRows(SelectModel model) {
        return model.where().isEmpty()
                && model.orderBy().isEmpty()
                && model.limit().isEmpty()
                && model.groupBy().isEmpty()
                && !model.distinct()
                && model.tables().size() == 1
                && model.derived().isEmpty()
                && model.items().stream().allMatch(item -> RowsDrafter.bare(item.expr()));
    }

    private static boolean onlyAnyValue(SelectModel model) {
        return Stream.of(
                        model.items().stream().map(SelectModel.SelectItem::expr),
                        model.having().stream(),
                        model.orderBy().stream().map(SelectModel.OrderItem::expr))
                .flatMap(exprs -> exprs)
                .flatMap(expr -> expr.aggregates().stream())
                .allMatch(call -> call.function() == SelectModel.AggregateFunction.ANY_VALUE);
    }

    /** Names that were taken for aliases must not be columns of derived tables; tables are asked for later. */
    private static void refuseDerivedNames(SelectModel model, Set<String> notColumns) throws Refusal {
        for (SelectModel.Derived derived : model.derived()) {
            Optional<String> found = derived.columns().isEmpty()
                    ? notColumns.stream().findFirst()
                    : notColumns.stream()
                            .filter(derived.columns().get()::contains)
                            .findFirst();
            if (found.isPresent()) {
                throw new Refusal(
                        Reason.AMBIGUOUS_NAME, found.get() + " is an alias and may be a column of " + derived.alias());
            }
        }
    }

    /** The largest of the partitioned tables that may be split. */
    private static TableRef splitTable(SelectModel model, @Nullable String schema, CatalogSnapshot catalog)
            throws Refusal {
        record Candidate(TableRef ref, long rows) {}
        List<Candidate> candidates = model.tables().stream()
                .filter(ref -> ref.place() != Place.SUBQUERY)
                .flatMap(ref ->
                        found(ref, schema, catalog).stream().map(table -> new Candidate(ref, table.estimatedRows())))
                .toList();
        if (candidates.isEmpty()) {
            throw new Refusal(Reason.NO_PARTITIONED_TABLE, "");
        }
        if (candidates.stream().anyMatch(candidate -> candidate.ref().explicitPartitions())) {
            throw new Refusal(Reason.EXPLICIT_PARTITION, "");
        }
        return candidates.stream()
                .filter(candidate -> !candidate.ref().nullable())
                .max(Comparator.comparingLong(Candidate::rows))
                .map(Candidate::ref)
                .orElseThrow(() ->
                        new Refusal(Reason.OUTER_JOIN, candidates.get(0).ref().name()));
    }

    /** The partitioned table a table reference may mean. */
    public static Optional<PartitionedTable> found(TableRef ref, @Nullable String schema, CatalogSnapshot catalog) {
        String in = ref.schema() != null ? ref.schema() : schema;
        if (in != null) {
            return catalog.table(in, ref.name());
        }
        return catalog.tables().stream()
                .filter(table -> table.name().table().equalsIgnoreCase(ref.name()))
                .max(Comparator.comparingLong(PartitionedTable::estimatedRows));
    }
}
