package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reads the FROM clause from tokens: tables, aliases, and their side of outer joins. Conditions are skipped. The
 * parser's tree is compared with the result elsewhere. An instance reads one clause once.
 *
 * <p>Grammar: references are factors connected by commas (which bind most loosely) and joins. A factor is a table, a
 * derived table or references in parentheses. An outer join must have its own ON or USING directly after its right
 * factor, so that a condition cannot belong to two joins.
 */
final class FromReader {
    /** A table as read, with its alias. */
    private static final class TableFound {
        final TextRange nameSpan;
        final Optional<Token> schema;
        final Token name;
        final Optional<Token> alias;
        final Optional<SelectModel.PartitionClause> partitions;
        boolean nullable;

        TableFound(
                TextRange nameSpan,
                Optional<Token> schema,
                Token name,
                Optional<Token> alias,
                Optional<SelectModel.PartitionClause> partitions) {
            this.nameSpan = nameSpan;
            this.schema = schema;
            this.name = name;
            this.alias = alias;
            this.partitions = partitions;
        }
    }

    /**
     * The condition of a join.
     *
     * @param on the tokens after ON; empty for USING
     * @param merged the equalities of USING; empty for ON
     * @param chooses see {@link SelectModel.Equality#chooses}
     */
    record JoinCondition(Optional<Clauses.Range> on, List<SelectModel.Equality> merged, Set<TextRange> chooses) {}

    private static final Set<String> INDEX_HINTS = Set.of("USE", "FORCE", "IGNORE");
    private static final Set<String> JOIN_WORDS =
            Set.of("JOIN", "INNER", "CROSS", "STRAIGHT_JOIN", "LEFT", "RIGHT", "ON", "USING");

    private final TokenList list;
    private final NameGuard names;
    private final PartitionClauses clauses;
    private final NormalText normalised;
    private final int end;
    private final List<TableFound> found = new ArrayList<>();
    private final List<JoinCondition> conditions = new ArrayList<>();
    private int at;
    private boolean using;

    /**
     * @param clauses the clauses that were taken out of {@code list}
     * @param normalised the normalised text of {@code list}
     */
    FromReader(TokenList list, NameGuard names, PartitionClauses clauses, NormalText normalised, Clauses.Range range) {
        this.list = list;
        this.names = names;
        this.clauses = clauses;
        this.normalised = normalised;
        this.at = range.from();
        this.end = range.to();
    }

    /**
     * Reads the clause.
     *
     * @return the tables in order; a derived table has its alias as its name too
     */
    List<SelectModel.TableRef> read() throws RefusedException {
        references();
        if (at != end) {
            throw unexpected();
        }
        clauses.requireAllClaimed();
        refuseSharedNames();
        return found.stream()
                .map(table -> new SelectModel.TableRef(
                        table.nameSpan,
                        table.schema.map(token -> token.name(list.sql())).orElse(null),
                        table.name.name(list.sql()),
                        table.alias.map(token -> token.name(list.sql())).orElse(null),
                        table.nullable,
                        table.partitions,
                        SelectModel.TablePlace.FROM))
                .toList();
    }

    /** Whether there is a USING or NATURAL; known after {@link #read}. */
    boolean using() {
        return using;
    }

    /** Returns the conditions after ON and USING, in order of position; known after {@link #read}. */
    List<JoinCondition> conditions() {
        return conditions;
    }

    private void references() throws RefusedException {
        joined();
        while (at < end && list.at(at).symbol(",")) {
            at++;
            joined();
        }
    }

    private void joined() throws RefusedException {
        int first = found.size();
        factor();
        while (at < end) {
            boolean natural = NaturalJoins.begins(list.at(at));
            Token word = NaturalJoins.plain(list.at(at));
            boolean left = word.is("LEFT");
            boolean right = word.is("RIGHT");
            if (left || right) {
                at++;
                take("OUTER");
                require("JOIN");
            } else if (word.is("INNER") || word.is("CROSS")) {
                at++;
                require("JOIN");
            } else if (word.is("JOIN") || word.is("STRAIGHT_JOIN")) {
                at++;
            } else {
                return;
            }
            int joinedFrom = found.size();
            factor();
            int from = left ? joinedFrom : first;
            int to = left ? found.size() : right ? joinedFrom : first;
            List<TableFound> nullable = found.subList(from, Math.max(from, to));
            Set<TextRange> chooses =
                    nullable.stream().map(table -> table.nameSpan).collect(Collectors.toSet());
            boolean conditioned = condition(first, joinedFrom, chooses);
            using |= natural;
            if (natural ? conditioned : (left || right) && !conditioned) {
                throw unexpected();
            }
            nullable.forEach(table -> table.nullable = true);
        }
    }

    private void factor() throws RefusedException {
        if (list.at(at).symbol("(")) {
            at++;
            references();
            if (at >= end || !list.at(at).symbol(")")) {
                throw unexpected();
            }
            at++;
            if (at < end && (list.at(at).is("AS") || aliasFollows())) {
                throw unexpected();
            }
        } else if (list.at(at).kind() == Token.TokenKind.DERIVED) {
            derived();
        } else {
            table();
        }
    }

    private void derived() throws RefusedException {
        TextRange span = list.at(at++).span();
        take("AS");
        Token alias = name();
        found.add(new TableFound(span, Optional.empty(), alias, Optional.of(alias), Optional.empty()));
    }

    private void table() throws RefusedException {
        int start = at;
        Optional<Token> schema = Optional.empty();
        Token name = name();
        if (list.at(at).symbol(".")) {
            at++;
            schema = Optional.of(name);
            name = name();
        }
        TextRange nameSpan = list.span(start, at);
        Optional<Token> alias = Optional.empty();
        if (take("AS") || aliasFollows()) {
            alias = Optional.of(name());
        }
        while (at < end
                && list.at(at).kind() == Token.TokenKind.WORD
                && INDEX_HINTS.contains(list.at(at).text())) {
            indexHint();
        }
        found.add(new TableFound(nameSpan, schema, name, alias, clauses.claim(nameSpan.end())));
    }

    private boolean aliasFollows() {
        Token token = list.at(at);
        return at < end
                && token.named()
                && !(token.kind() == Token.TokenKind.WORD && (joins(token) || INDEX_HINTS.contains(token.text())));
    }

    private static boolean joins(Token token) {
        return token.kind() == Token.TokenKind.WORD
                && JOIN_WORDS.contains(NaturalJoins.plain(token).text());
    }

    private Token name() throws RefusedException {
        if (at >= end || !list.at(at).named()) {
            throw unexpected();
        }
        Token token = list.at(at++);
        names.check(token);
        return token;
    }

    private void indexHint() throws RefusedException {
        at++;
        if (!take("INDEX") && !take("KEY")) {
            throw unexpected();
        }
        if (!list.at(at).symbol("(")) {
            throw unexpected();
        }
        skipParentheses();
    }

    /**
     * Skips ON or USING.
     *
     * @param first the first table of the left side
     * @param joinedFrom the first table of the right side
     * @param chooses see {@link SelectModel.Equality#chooses}
     * @return false if there is neither
     */
    private boolean condition(int first, int joinedFrom, Set<TextRange> chooses) throws RefusedException {
        boolean conditioned = true;
        if (take("ON")) {
            conditions.add(new JoinCondition(Optional.of(skipCondition()), List.of(), chooses));
        } else if (take("USING")) {
            using = true;
            if (!list.at(at).symbol("(")) {
                throw unexpected();
            }
            int open = at;
            skipParentheses();
            List<SelectModel.Equality> merged = merged(new Clauses.Range(open + 1, at - 1), first, joinedFrom, chooses);
            conditions.add(new JoinCondition(Optional.empty(), merged, chooses));
        } else {
            conditioned = false;
        }
        if (at < end && (list.at(at).is("ON") || list.at(at).is("USING"))) {
            throw unexpected();
        }
        return conditioned;
    }

    private Clauses.Range skipCondition() throws RefusedException {
        int start = at;
        while (at < end) {
            Token token = list.at(at);
            boolean function = list.at(at + 1).symbol("(");
            boolean join = joins(token);
            boolean ends = token.symbol(",") || token.symbol(")");
            if (ends || join && !(function && (token.is("LEFT") || token.is("RIGHT")))) {
                break;
            }
            if (token.symbol("(")) {
                skipParentheses();
            } else {
                at++;
            }
        }
        if (at == start) {
            throw unexpected();
        }
        return new Clauses.Range(start, at);
    }

    /**
     * Returns the equalities of USING for each pair of tables of both sides. Whether these have the columns is not checked
     * here.
     */
    private List<SelectModel.Equality> merged(
            Clauses.Range columns, int first, int joinedFrom, Set<TextRange> chooses) {
        List<SelectModel.Equality> equalities = new ArrayList<>();
        for (int i = columns.from(); i < columns.to(); i++) {
            if (list.at(i).named()) {
                for (TableFound left : found.subList(first, joinedFrom)) {
                    for (TableFound right : found.subList(joinedFrom, found.size())) {
                        equalities.add(new SelectModel.Equality(column(left, i), column(right, i), chooses));
                    }
                }
            }
        }
        return equalities;
    }

    private Expr.ColumnRef column(TableFound table, int name) {
        String qualifier = table.alias.orElse(table.name).name(list.sql());
        TextRange span = list.at(name).span();
        return new Expr.ColumnRef(
                new ExprText(normalised, span, span), qualifier, list.at(name).name(list.sql()));
    }

    private void skipParentheses() throws RefusedException {
        int depth = 0;
        do {
            if (at >= end) {
                throw unexpected();
            }
            depth += list.at(at).symbol("(") ? 1 : list.at(at).symbol(")") ? -1 : 0;
            at++;
        } while (depth > 0);
    }

    private boolean take(String keyword) {
        if (at < end && list.at(at).is(keyword)) {
            at++;
            return true;
        }
        return false;
    }

    private void require(String keyword) throws RefusedException {
        if (!take(keyword)) {
            throw unexpected();
        }
    }

    /**
     * Refuses tables with the same name, ignoring case. If names are case-sensitive, {@code T.a} and {@code t.a} are
     * different columns. If not, only the server knows which of the tables a column belongs to.
     */
    private void refuseSharedNames() throws RefusedException {
        Set<String> shown = new HashSet<>();
        for (TableFound table : found) {
            String name = table.alias.orElse(table.name).name(list.sql());
            if (!shown.add(TokenList.asciiLower(name))) {
                throw RefusedException.at(
                        Reason.AMBIGUOUS_NAME, "a second table named " + name, table.nameSpan.start());
            }
        }
    }

    private RefusedException unexpected() {
        Token token = list.at(Math.min(at, end - 1));
        return RefusedException.at(Reason.UNSUPPORTED_SYNTAX, "in the FROM clause " + token.text(), token.start());
    }
}
