package io.fanfold.sql;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Takes the parenthesised subqueries out of a block's tokens. The block is then read as if each were a literal or, in
 * the FROM clause, a table's name. Each is read as a block of its own. EXISTS, ALL, ANY and SOME before a subquery are
 * taken out too, because the remaining parentheses bind like them. Stateless.
 *
 * <pre>
 * WHERE a IN (SELECT b FROM s) AND NOT EXISTS (SELECT 1 FROM u)   is read as   WHERE a IN (1) AND NOT (1)
 * FROM t JOIN (SELECT b FROM s) d ON t.a = d.b                    is read as   FROM t JOIN x d ON t.a = d.b
 * </pre>
 */
final class Subqueries {
    private static final Set<String> QUANTIFIERS = Set.of("EXISTS", "ALL", "ANY", "SOME");
    private static final Set<String> BEFORE_TABLES = Set.of("FROM", "JOIN", "STRAIGHT_JOIN");
    private static final Set<String> AFTER_FROM = Set.of("WHERE", "GROUP", "HAVING", "ORDER", "LIMIT");

    private Subqueries() {}

    /**
     * A block without its subqueries.
     *
     * @param list its tokens, one of kind SUBQUERY or DERIVED for each subquery
     * @param bodies the text of each subquery without its parentheses, by the start of that token, in order of position
     */
    record Collapsed(TokenList list, Map<Integer, TextRange> bodies) {}

    static Collapsed collapse(TokenList list) {
        List<Token> tokens = new ArrayList<>();
        Map<Integer, TextRange> bodies = new LinkedHashMap<>();
        int depth = 0;
        boolean inFrom = false;
        for (int i = 0; i < list.size(); i++) {
            Token token = list.at(i);
            int close = opensSubquery(list, i) ? list.closing(i) : -1;
            if (close < 0) {
                depth += token.symbol("(") ? 1 : token.symbol(")") ? -1 : 0;
                inFrom = depth == 0 && token.is("FROM")
                        || inFrom
                                && !(depth == 0
                                        && token.kind() == Token.TokenKind.WORD
                                        && AFTER_FROM.contains(token.text()));
                tokens.add(token);
                continue;
            }
            TextRange body = list.span(i + 1, close);
            Token before = tokens.isEmpty() ? token : tokens.get(tokens.size() - 1);
            if (inFrom && depth == 0 && standsBeforeTable(before)) {
                bodies.put(token.start(), body);
                tokens.add(new Token(Token.TokenKind.DERIVED, token.start(), token.start() + 1, body.of(list.sql())));
            } else {
                String quantifier = "";
                Token open = token;
                if (before.kind() == Token.TokenKind.WORD && QUANTIFIERS.contains(before.text())) {
                    tokens.remove(tokens.size() - 1);
                    quantifier = before.text() + " ";
                    // if a clause begins with EXISTS, its text must begin there too
                    open = new Token(Token.TokenKind.SYMBOL, before.start(), before.start() + 1, token.text());
                }
                bodies.put(body.start(), body);
                tokens.add(open);
                tokens.add(new Token(
                        Token.TokenKind.SUBQUERY, body.start(), body.start() + 1, quantifier + body.of(list.sql())));
                tokens.add(list.at(close));
            }
            i = close;
        }
        return new Collapsed(new TokenList(list.sql(), tokens, list.hints()), bodies);
    }

    private static boolean opensSubquery(TokenList list, int index) {
        return list.at(index).symbol("(") && list.at(index + 1).is("SELECT") || SetOperations.opens(list, index);
    }

    private static boolean standsBeforeTable(Token token) {
        return token.symbol(",") || token.kind() == Token.TokenKind.WORD && BEFORE_TABLES.contains(token.text());
    }
}
