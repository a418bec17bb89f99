package io.fanfold.plan;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.CatalogTable;
import io.fanfold.catalog.Partitioning;
import io.fanfold.catalog.TableSettings;
import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FilterConfig;
import io.fanfold.plan.LogicalPlan.Placement;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.Refusal.Remedy;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.sql.Hint;
import io.fanfold.sql.HintWord;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.TablePlace;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.StatementModel;
import io.fanfold.sql.StatementModel.StatementBlock;
import io.fanfold.wire.ServerFlavor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Decides whether and how a SELECT is split. Immutable; safe for all threads. */
public final class SplitPlanner {
    private final ServerFlavor flavor;
    private final TableSettings settings;
    private final PlanRules rules;

    /** Creates a planner for MariaDB or MySQL statements, with the settings of the server's tables. */
    public SplitPlanner(ServerFlavor flavor, TableSettings settings, PlanRules rules) {
        this.flavor = flavor;
        this.settings = settings;
        this.rules = rules;
    }

    /** Creates a planner for MariaDB or MySQL statements, with the default settings for all tables. */
    public SplitPlanner(ServerFlavor flavor, PlanRules rules) {
        this(flavor, TableSettings.ofAll(FanOutConfig.defaults()), rules);
    }

    /**
     * Plans a statement from its text alone: the first step.
     *
     * @param schema the session's default database, null if there is none or it is not known yet; an unqualified name
     *     may then mean any table of that name
     */
    public LogicalStatement analyze(StatementModel statement, @Nullable String schema, CatalogSnapshot catalog)
            throws RefusedException {
        NamedTables tables = new NamedTables(settings, schema, catalog, !statement.has(HintWord.NO_RANGES));
        if (statement.hint() instanceof Hint.NoParallel) {
            throw new RefusedException(Reason.HINT, "NO_PARALLEL");
        }
        for (StatementBlock part : statement.parts()) {
            refuseHints(part.block());
        }
        Optional<RefusedException> whole = Optional.empty();
        if (statement.select().isPresent()) {
            SelectModel select = statement.select().get();
            refuseHints(select);
            SplitPreference own = preferred(select, tables);
            boolean partitionedInside = !own.partitioned()
                    && preferred(statement.tables().stream().filter(tables::enabled), tables)
                            .partitioned();
            if (own.known() && !partitionedInside) {
                try {
                    return preferred(statement, block(select, statement, false, tables), tables);
                } catch (RefusedException refusal) {
                    whole = Optional.of(refusal);
                }
            }
        }
        return inside(statement, whole, tables);
    }

    /**
     * Prefers to split the whole statement. An exception is a statement that only selects rows and whose subqueries
     * read partitioned tables: every partition query would read those again, so splitting the inner blocks is tried
     * first.
     */
    private LogicalStatement preferred(StatementModel statement, LogicalPlan whole, NamedTables tables) {
        LogicalStatement logical = new LogicalStatement(statement, List.of(whole));
        SplitPreference repeated = preferred(
                whole.model().tables().stream().filter(table -> table.place() == TablePlace.SUBQUERY), tables);
        boolean repeats = whole.shape() instanceof LogicalPlan.PlainRows
                && repeated.known()
                && (repeated.partitioned() || !tables.preference(whole.split()).partitioned());
        if (!repeats) {
            return logical;
        }
        try {
            return inside(statement, Optional.empty(), tables);
        } catch (RefusedException refusal) {
            return logical;
        }
    }

    private static void refuseHints(SelectModel block) throws RefusedException {
        if (block.hintsChangeMore()) {
            throw new RefusedException(Reason.HINT, block.serverHints());
        }
    }

    /** Returns the preference for the table that a block is split over. */
    private static SplitPreference preferred(SelectModel block, NamedTables tables) {
        return preferred(
                block.tables().stream()
                        .filter(table -> table.place() != TablePlace.SUBQUERY)
                        .filter(tables::enabled),
                tables);
    }

    private static SplitPreference preferred(Stream<TableRef> some, NamedTables tables) {
        return some.map(tables::preference).max(Comparator.naturalOrder()).orElse(SplitPreference.NONE);
    }

    /** Returns why no table of a statement is split, if no other reason was found. */
    private static RefusedException noTable(StatementModel statement, NamedTables tables) {
        return statement.tables().stream()
                .filter(table -> tables.found(table).isPresent() && !tables.enabled(table))
                .findFirst()
                .map(table -> new RefusedException(Reason.TABLE_DISABLED, tables.entry(table)))
                .orElseGet(() -> new RefusedException(Reason.NO_PARTITIONED_TABLE, ""));
    }

    /**
     * Splits blocks inside a statement that is not split as a whole, outer blocks before inner ones. The rest of the
     * statement must not read a larger partitioned table than those that are split.
     *
     * @param whole why the statement is not split as a whole, if it reads a partitioned table there
     */
    private LogicalStatement inside(StatementModel statement, Optional<RefusedException> whole, NamedTables tables)
            throws RefusedException {
        List<LogicalPlan> blocks = new ArrayList<>();
        RefusedException refused = whole.orElse(null);
        SplitPreference mostRefused = SplitPreference.NONE;
        SplitPreference mostSplit = SplitPreference.NONE;
        // a statement that reads partitioned tables is split by these alone
        boolean partitioned = statement.parts().stream()
                .anyMatch(part -> preferred(part.block(), tables).partitioned());
        for (StatementBlock part : statement.parts()) {
            SplitPreference own = preferred(part.block(), tables);
            boolean insideSplit = blocks.stream()
                    .flatMap(block -> block.placement().stream())
                    .anyMatch(placement -> placement.body().contains(part.body()));
            boolean lesser = partitioned && !own.partitioned();
            if (!own.known() || insideSplit || lesser) {
                continue;
            }
            try {
                blocks.add(embedded(part, statement, tables));
                mostSplit = own.above(mostSplit) ? own : mostSplit;
            } catch (RefusedException refusal) {
                if (whole.isEmpty() && own.above(mostRefused)) {
                    refused = refusal;
                    mostRefused = own;
                }
            }
        }
        if (!blocks.isEmpty()) {
            LogicalStatement logical = new LogicalStatement(statement, blocks);
            SplitPreference left = preferred(statement.tables().stream().filter(logical::leaves), tables);
            if (!left.above(mostSplit)) {
                return logical;
            }
        }
        throw refused != null ? refused : noTable(statement, tables);
    }

    private LogicalPlan embedded(StatementBlock part, StatementModel statement, NamedTables tables)
            throws RefusedException {
        LogicalPlan logical = block(part.block(), statement, true, tables);
        if (!(logical.shape() instanceof LogicalAggregation) || part.names().isEmpty()) {
            throw new RefusedException(Reason.NO_SHAPE, "plain rows inside a statement");
        }
        return logical.in(new Placement(part.kind(), part.body(), part.names().get(), part.alike()));
    }

    private LogicalPlan block(SelectModel bare, StatementModel statement, boolean embedded, NamedTables tables)
            throws RefusedException {
        for (SelectModel.Derived derived : bare.derived()) {
            if (derived.openAnswer().isPresent()) {
                throw new RefusedException(Reason.SUBQUERY, derived.openAnswer().get());
            }
        }
        TableRef split = splitTable(bare, tables);
        FanOutConfig settings = tables.settings(List.of(split), bare.tables());
        boolean approximate =
                statement.has(HintWord.APPROXIMATE) || settings.approximate() == FanOutConfig.Approximate.ALLOW;
        SelectModel model = bare.withHint(statement.hint(), approximate);
        boolean folded = model.aggregated() || !model.groupBy().isEmpty() || model.distinct();
        RefusedException.throwIf(rules.ofText(model, flavor));
        boolean windows = model.windowed() && model.groupBy().isEmpty();
        LogicalPlan logical = windows
                ? materialized(model, split)
                : folded ? groups(model, split, embedded, tables) : rows(model, split, tables);
        refuseDerivedNames(model, logical.shadowingAliases());
        LogicalPlan joined = PartitionWiseJoins.logical(logical, tables.schema(), tables.catalog());
        boolean filters = !statement.has(HintWord.NO_DYNAMIC_FILTERS)
                && settings.filters().dynamic() == FilterConfig.Dynamic.ON;
        return filters ? KeyFilterRule.logical(joined) : joined;
    }

    private static LogicalPlan rows(SelectModel model, TableRef split, NamedTables tables) throws RefusedException {
        if (!tables.preference(split).partitioned() && model.orderBy().isEmpty()) {
            throw new RefusedException(Reason.NO_SHAPE, split.name() + " has no partitions, and there is no ORDER BY");
        }
        return new RowsAnalyzer(model).analyze(split);
    }

    private LogicalPlan materialized(SelectModel model, TableRef split) throws RefusedException {
        return new AggregationAnalyzer(model, flavor, rules, Optional.empty(), Optional.empty(), true).analyze(split);
    }

    /**
     * Plans groups that are merged from their parts. If that is refused, tries partition-local groups, then rows that
     * are materialized for the final query.
     *
     * @param embedded whether the block is inside a statement, where groups are never partition-local
     */
    private LogicalPlan groups(SelectModel model, TableRef split, boolean embedded, NamedTables tables)
            throws RefusedException {
        Optional<Partitioning> partitioning = tables.found(split).flatMap(CatalogTable::partitioning);
        try {
            return new AggregationAnalyzer(model, flavor, rules, partitioning, Optional.empty(), false).analyze(split);
        } catch (RefusedException refusal) {
            Refusal decision = refusal.refusal();
            if (decision.remedy() == Remedy.NONE) {
                throw refusal;
            }
            boolean wholeGroups = decision.remedy() == Remedy.WHOLE_GROUPS;
            if (!embedded && (wholeGroups || model.approximate())) {
                LogicalPlan logical = new AggregationAnalyzer(
                                model, flavor, rules, partitioning, Optional.of(decision), false)
                        .analyze(split);
                if (logical.mayBeWhole()) {
                    return logical;
                }
            }
            // over materialized rows, MySQL's averages in expressions have the same hidden digits only without GROUP BY
            boolean sameInnerDigits = flavor.isMariaDb() || model.groupBy().isEmpty() || !wholeGroups;
            if (model.mayLeaveRowsOut() && !model.rollup() && sameInnerDigits) {
                return materialized(model, split);
            }
            throw refusal;
        }
    }

    /**
     * Plans a statement with the types of the server's typing queries: the second step.
     *
     * @param types for each block, one column definition for each column of {@link PreparedQueries#typing}, read with
     *     {@code character_set_results} NULL, so that collations are those of the expressions
     * @param visibleColumns the number of columns of the statement's answer
     * @param pads the weights of one blank, by collation
     * @param session the traits of the client's session that matter
     */
    public StatementPlan complete(
            LogicalStatement logical,
            List<List<Column>> types,
            int visibleColumns,
            CatalogSnapshot catalog,
            PadWeights pads,
            SessionTraits session)
            throws RefusedException {
        TypeBinding.ServerTraits server = new TypeBinding.ServerTraits(flavor, session);
        List<FanOutPlan> plans = new ArrayList<>();
        for (int i = 0; i < logical.blocks().size(); i++) {
            LogicalPlan block = logical.blocks().get(i);
            if (types.get(i).size() != block.inputs().size()) {
                throw new RefusedException(
                        Reason.PREPARE_FAILED,
                        "typing query has " + types.get(i).size() + " columns (expected: "
                                + block.inputs().size() + ")");
            }
            TypeBinding known = new TypeBinding(types.get(i), catalog, pads, server);
            plans.add(new PhysicalPlanner(block, known, flavor, rules).complete(visibleColumns));
        }
        RefusedException.throwIf(rules.ofRest(logical));
        return new StatementPlan(plans, logical.texts(), logical.readsTables());
    }

    /**
     * Whether partition queries must return text in the client's results character set, because the merged rows are the
     * answer unchanged; otherwise they use utf8mb4.
     */
    public boolean rowsAsClient(LogicalStatement logical) {
        return PhysicalPlanner.rowsAsClient(logical.blocks().get(0));
    }

    /**
     * Refuses names that were taken for aliases but may be columns of derived tables. Those of base tables are checked
     * later.
     */
    private static void refuseDerivedNames(SelectModel model, Set<String> shadowingAliases) throws RefusedException {
        for (SelectModel.Derived derived : model.derived()) {
            Optional<String> found = derived.columns().isEmpty()
                    ? shadowingAliases.stream().findFirst()
                    : shadowingAliases.stream()
                            .filter(derived.columns().get()::contains)
                            .findFirst();
            if (found.isPresent()) {
                throw new RefusedException(
                        Reason.AMBIGUOUS_NAME, found.get() + " is an alias and may be a column of " + derived.alias());
            }
        }
    }

    /** Returns the table over which a block is split. */
    private static TableRef splitTable(SelectModel model, NamedTables tables) throws RefusedException {
        List<TableRef> candidates = model.tables().stream()
                .filter(ref -> ref.place() != TablePlace.SUBQUERY)
                .filter(tables::enabled)
                .filter(ref -> tables.preference(ref).known())
                .toList();
        if (candidates.isEmpty()) {
            throw new RefusedException(Reason.NO_PARTITIONED_TABLE, "");
        }
        return candidates.stream()
                .filter(ref -> !ref.nullable())
                .max(Comparator.comparing(tables::preference))
                .orElseThrow(() -> new RefusedException(
                        Reason.OUTER_JOIN, candidates.get(0).name()));
    }
}
