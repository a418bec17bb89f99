package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.CteScope.Cte;
import io.fanfold.sql.StatementModel.BlockKind;
import io.fanfold.sql.StatementModel.StatementBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Reads a statement's queries from the outermost to the innermost. Subqueries and the operands of set operations are
 * taken out and read separately. An instance reads one statement once.
 */
final class QueryReader {
    /** The maximum nesting depth of subqueries. Each is parsed separately. */
    private static final int MAX_DEPTH = 4;

    private static final int MAX_SUBQUERIES = 16;

    /** The maximum number of tables of a block. Common table expressions multiply them. */
    private static final int MAX_TABLES = 256;

    /** The maximum number of blocks of a statement. */
    private static final int MAX_BLOCKS = 64;

    /** Makes a block of an ORDER BY or LIMIT that follows it. */
    private static final String TAIL_OF = "SELECT 1 FROM x ";

    private final SqlDialect dialect;
    private final WordLists words;
    private final ScheduledExecutorService watchdog;
    private final Duration timeLimit;
    private int blocks;

    QueryReader(SqlDialect dialect, ScheduledExecutorService watchdog, Duration timeLimit) {
        this.dialect = dialect;
        this.words = WordLists.of(dialect);
        this.watchdog = watchdog;
        this.timeLimit = timeLimit;
    }

    /** Reads a whole statement. The model is that of the text without WINDOW clauses. */
    StatementModel statement(String written) throws RefusedException {
        TokenList list = MySqlLexer.lex(written, dialect);
        Optional<String> inlined = NamedWindows.inlined(list);
        String sql = inlined.orElse(written);
        if (inlined.isPresent()) {
            list = MySqlLexer.lex(sql, dialect);
        }
        List<InnerQuery> common = new ArrayList<>();
        CteScope scope = CteScope.NONE;
        TokenList main = list;
        if (list.at(0).is("WITH")) {
            WithClause with = WithClause.read(list, new NameGuard(words));
            scope = common(list, with, common);
            main = list.part(with.end(), list.size());
        }
        HintReader.Hints hints = HintReader.read(sql, main.hint());
        InnerQuery query = query(main, new TextRange(0, sql.length()), scope, 0);
        List<SelectModel.TableRef> tables = new ArrayList<>();
        List<StatementBlock> parts = new ArrayList<>();
        for (InnerQuery inner : common) {
            tables.addAll(inner.namedAround());
            parts.addAll(inner.partsAround(BlockKind.TABLE));
        }
        tables.addAll(query.named());
        parts.addAll(query.parts());
        return new StatementModel(sql, hints.hint(), hints.words(), hints.spans(), query.block(), tables, parts);
    }

    /** Reads the queries of a WITH clause and returns the names that are known after it. */
    private CteScope common(TokenList list, WithClause with, List<InnerQuery> queries) throws RefusedException {
        List<Cte> known = new ArrayList<>();
        Set<String> hidden = new HashSet<>();
        with.elements().forEach(element -> hidden.add(TokenList.asciiLower(element.name())));
        String text = "";
        for (WithClause.Element element : with.elements()) {
            InnerQuery query = inner(list.sql(), element.body(), new CteScope(text, known, hidden), 0);
            if (element.columns().isPresent()
                    && query.names().isPresent()
                    && query.names().get().size() != element.columns().get().size()) {
                throw RefusedException.at(
                        Reason.UNSUPPORTED_SYNTAX,
                        "another number of columns",
                        element.body().start());
            }
            queries.add(query);
            known.add(new Cte(element.name(), query, element.columns().or(query::names)));
            hidden.remove(TokenList.asciiLower(element.name()));
            int end = list.at(list.endingBy(element.body().end())).end();
            text = list.sql().substring(0, end) + " ";
        }
        return new CteScope(text, known, Set.of());
    }

    /** Reads a query inside another one. */
    private InnerQuery inner(String around, TextRange body, CteScope scope, int depth) throws RefusedException {
        TokenList text = MySqlLexer.lex(body.of(around), dialect);
        if (!text.hints().isEmpty()) {
            throw new RefusedException(Reason.HINT, "in a subquery");
        }
        try {
            return query(text, body, scope, depth + 1);
        } catch (RefusedException refusal) {
            // that the subquery reads no table means nothing for the statement
            throw refusal.reason() == Reason.NO_PARTITIONED_TABLE
                    ? new RefusedException(Reason.SUBQUERY, "a subquery without FROM")
                    : refusal;
        }
    }

    private InnerQuery query(TokenList whole, TextRange text, CteScope scope, int depth) throws RefusedException {
        Optional<SetOperations> set = SetOperations.of(whole);
        return set.isPresent() ? several(whole.sql(), text, set.get(), scope, depth) : block(whole, text, scope, depth);
    }

    private InnerQuery several(String sql, TextRange text, SetOperations set, CteScope scope, int depth)
            throws RefusedException {
        UnionBuilder union = new UnionBuilder(text);
        for (int i = 0; i < set.branches().size(); i++) {
            SetOperations.Branch branch = set.branches().get(i);
            TokenList list = MySqlLexer.lex(branch.body().of(sql), dialect);
            boolean first = depth == 0 && branch.bare() && i == 0;
            if (list.hints().size() > (first && list.hint().isPresent() ? 1 : 0)) {
                throw new RefusedException(Reason.HINT, "in a set operation");
            }
            union.add(branch(list, branch.body(), scope, depth));
        }
        if (set.tail().isPresent()) {
            union.tail(tail(set.tail().get().of(sql)));
        }
        return union.query();
    }

    private InnerQuery branch(TokenList list, TextRange body, CteScope scope, int depth) throws RefusedException {
        try {
            return query(list, body, scope, depth);
        } catch (RefusedException refusal) {
            throw refusal.reason() == Reason.NO_PARTITIONED_TABLE
                    ? new RefusedException(Reason.SET_OPERATION, "a query without FROM")
                    : refusal;
        }
    }

    /** Reads ORDER BY and LIMIT after set operations as if they followed a block. */
    private SelectModel tail(String text) throws RefusedException {
        InnerQuery read =
                block(MySqlLexer.lex(TAIL_OF + text, dialect), new TextRange(0, TAIL_OF.length()), CteScope.NONE, 0);
        SelectModel model = read.blocks().get(0);
        if (read.tables().size() > 1 || model.aggregated() || model.windowed()) {
            throw new RefusedException(Reason.SET_OPERATION, "sorted by more than columns");
        }
        return model;
    }

    private InnerQuery block(TokenList whole, TextRange text, CteScope scope, int depth) throws RefusedException {
        if (++blocks > MAX_BLOCKS) {
            throw new RefusedException(Reason.SUBQUERY, "more than " + MAX_BLOCKS + " blocks");
        }
        Subqueries.Collapsed collapsed = Subqueries.collapse(whole);
        if (depth == MAX_DEPTH || collapsed.bodies().size() > MAX_SUBQUERIES) {
            throw new RefusedException(Reason.SUBQUERY, "subqueries in subqueries, or too many");
        }
        SelectOptions options = SelectOptions.takenFrom(NaturalJoins.collapse(collapsed.list()), dialect);
        PartitionClauses partitions = PartitionClauses.takenFrom(options.list());
        TokenList list = partitions.list();
        TokenGuards.check(list);
        String masked = Mask.of(list);
        ParserRun run = ParserRun.of(masked, watchdog, timeLimit);
        Faithfulness.check(list, masked, run);
        Map<Integer, InnerQuery> inner = new LinkedHashMap<>();
        for (Map.Entry<Integer, TextRange> body : collapsed.bodies().entrySet()) {
            inner.put(body.getKey(), inner(whole.sql(), body.getValue(), scope, depth));
        }
        Relations relations = new Relations(inner, scope);
        InnerQuery query = new ModelReader(options, partitions, masked, run.select(), dialect, relations).read(text);
        if (query.tables().size() > MAX_TABLES) {
            throw new RefusedException(Reason.SUBQUERY, "more than " + MAX_TABLES + " tables");
        }
        return query;
    }
}
