package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Clauses.ClauseKind;
import io.fanfold.sql.Clauses.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The subqueries of one block that the final query answers: those of the select list, HAVING and ORDER BY. The
 * subqueries of FROM and WHERE stay in the partition queries. Immutable.
 */
final class ShownSubqueries {
    private final TokenList list;
    private final Clauses clauses;

    ShownSubqueries(TokenList list, Clauses clauses) {
        this.list = list;
        this.clauses = clauses;
    }

    /**
     * Returns the texts of the subqueries, without their parentheses.
     *
     * @throws RefusedException if GROUP BY or LIMIT contains a subquery
     */
    List<TextRange> bodies(Relations relations) throws RefusedException {
        List<TextRange> bodies = new ArrayList<>();
        for (ClauseKind clause : ClauseKind.values()) {
            for (int i : tokens(clause)) {
                int start = list.at(i).start();
                if (clause == ClauseKind.GROUP || clause == ClauseKind.LIMIT) {
                    throw RefusedException.at(Reason.SUBQUERY, "in the clause " + clause, start);
                }
                bodies.add(relations.body(start));
            }
        }
        return bodies;
    }

    /** Whether one of them is compared as a set: by IN, ANY, SOME, ALL or EXISTS. */
    boolean compareSets() {
        return Stream.of(ClauseKind.values())
                .flatMap(clause -> tokens(clause).stream())
                .anyMatch(subquery -> list.at(subquery - 2).is("IN") || quantified(list.at(subquery - 1)));
    }

    /** Whether the text of a parenthesis token includes EXISTS, ANY, SOME or ALL, see {@link Subqueries}. */
    private boolean quantified(Token open) {
        return list.sql().charAt(open.start()) != '(';
    }

    /** Returns the tokens of a clause that are subqueries. */
    private List<Integer> tokens(ClauseKind clause) {
        if (clause == ClauseKind.FROM || clause == ClauseKind.WHERE || !clauses.has(clause)) {
            return List.of();
        }
        Range range = clauses.range(clause);
        return IntStream.range(range.from(), range.to())
                .filter(i -> list.at(i).kind() == Token.TokenKind.SUBQUERY)
                .boxed()
                .toList();
    }

    /**
     * Refuses subqueries inside aggregates and window functions. Aggregates are moved into partition queries, where
     * only the server would know the meaning of these subqueries.
     */
    static void refuseInsideCalls(SelectModel model) throws RefusedException {
        List<Expr> exprs = new ArrayList<>();
        model.items().forEach(item -> exprs.add(item.expr()));
        model.having().ifPresent(exprs::add);
        model.orderBy().forEach(item -> exprs.add(item.expr()));
        for (TextRange body : model.shown()) {
            boolean inside = exprs.stream()
                    .anyMatch(expr -> expr.aggregates().stream()
                                    .anyMatch(call -> call.span().contains(body))
                            || expr.windows().stream()
                                    .anyMatch(call -> call.span().contains(body)));
            if (inside) {
                throw RefusedException.at(Reason.SUBQUERY, "inside an aggregate", body.start());
            }
        }
    }
}
