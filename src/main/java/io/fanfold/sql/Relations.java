package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.CteScope.Cte;
import io.fanfold.sql.SelectModel.Derived;
import io.fanfold.sql.SelectModel.TablePlace;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.StatementModel.BlockKind;
import io.fanfold.sql.StatementModel.StatementBlock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Resolves the names of a block's FROM clause, and its subqueries, to the tables and queries that the block reads. An
 * instance serves one block once.
 */
final class Relations {
    private final Map<Integer, InnerQuery> inner;
    private final CteScope scope;
    private final List<TableRef> tables = new ArrayList<>();
    private final List<TableRef> named = new ArrayList<>();
    private final List<Derived> derived = new ArrayList<>();
    private final List<StatementBlock> parts = new ArrayList<>();
    private final List<String> common = new ArrayList<>();

    /**
     * Creates an instance for one block.
     *
     * @param inner the query of each token of kind SUBQUERY or DERIVED, by the token's start
     * @param scope the common table expressions that names of tables may mean
     */
    Relations(Map<Integer, InnerQuery> inner, CteScope scope) {
        this.inner = inner;
        this.scope = scope;
    }

    /**
     * Adds the tables of the FROM clause, replacing relations by the tables that they read, and then those of
     * subqueries.
     */
    void expand(TokenList list, List<TableRef> from) throws RefusedException {
        Map<Integer, InnerQuery> expressions = new LinkedHashMap<>(inner);
        for (TableRef table : from) {
            int start = table.nameSpan().start();
            InnerQuery query = expressions.remove(start);
            Optional<Cte> cte = query == null && table.schema() == null
                    ? scope.find(list.at(list.startingAt(start)), list.sql())
                    : Optional.empty();
            String alias = table.shownName();
            if (query != null) {
                tables.addAll(query.tablesOfRelation(TablePlace.DERIVED, table.nullable()));
                derived.add(query.derived(alias, query.names()));
                inside(query, BlockKind.TABLE);
            } else if (cte.isPresent()) {
                InnerQuery read = cte.get().query();
                tables.addAll(read.tablesOfRelation(TablePlace.WITH, table.nullable()));
                derived.add(read.derived(alias, cte.get().columns()));
                common.add(cte.get().name());
                common.addAll(read.common());
            } else {
                tables.add(table);
                named.add(table);
            }
        }
        for (InnerQuery query : expressions.values()) {
            if (query.openAnswer().isPresent()) {
                throw RefusedException.at(
                        Reason.SUBQUERY, query.openAnswer().get(), query.text().start());
            }
            tables.addAll(query.tablesOfExpression());
            inside(query, BlockKind.EXPRESSION);
        }
        parts.sort(Comparator.comparingInt(part -> part.body().start()));
    }

    /** Returns the span of the text of the subquery that a token represents. */
    TextRange body(int start) throws RefusedException {
        return query(start).text();
    }

    /** Returns the subquery that a token represents. */
    InnerQuery query(int start) throws RefusedException {
        InnerQuery query = inner.get(start);
        if (query == null) {
            throw RefusedException.at(Reason.NOT_FAITHFUL, "a subquery that was not read", start);
        }
        return query;
    }

    private void inside(InnerQuery query, BlockKind kind) {
        named.addAll(query.namedAround());
        parts.addAll(query.partsAround(kind));
        common.addAll(query.common());
    }

    /**
     * Returns all table instances. A common table expression that is read twice has no instance that could be split.
     */
    List<TableRef> tables() {
        return tables.stream()
                .map(table -> readTwice(table) ? whole(table) : table)
                .toList();
    }

    private boolean readTwice(TableRef table) {
        return table.place() == TablePlace.WITH
                && scope.known().stream()
                        .filter(cte -> cte.query().text().contains(table.nameSpan()))
                        .anyMatch(cte ->
                                common.stream().filter(cte.name()::equals).count() > 1);
    }

    private static TableRef whole(TableRef table) {
        return table.at(TablePlace.SUBQUERY, table.nullable());
    }

    /** Whether the block reads tables by their names only, and no queries. */
    boolean onlyTables() {
        return inner.isEmpty() && common.isEmpty();
    }

    List<Derived> derived() {
        return derived;
    }

    /** Returns the tables named in the block's own text. */
    List<TableRef> named() {
        return named;
    }

    /** Returns the blocks inside it, by position. */
    List<StatementBlock> parts() {
        return parts;
    }

    /** Returns the common table expressions it reads, directly and indirectly, each as often as it is read. */
    List<String> common() {
        return common;
    }

    /** Returns the WITH clause, as far as the block may use it; empty if the block uses none of it. */
    String with() {
        return common.isEmpty() ? "" : scope.text();
    }
}
