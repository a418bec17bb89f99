package io.fanfold.plan;

import io.fanfold.sql.Expr;
import io.fanfold.sql.TextRange;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Finds repetitions of grouping expressions inside larger expressions. It only searches for calls, {@code f(…)},
 * because their text is a unit whatever is around it. The text must be identical and have a column name at the same
 * place, so that it is not part of a string. Stateless.
 */
final class RepeatedKeys {
    private RepeatedKeys() {}

    /**
     * Replaces repetitions by references to the keys.
     *
     * @param sql the statement's text
     * @param keys the grouping expressions in order
     * @param expr the larger expression
     */
    static void replace(String sql, List<Expr> keys, Expr expr, Splice splice) {
        String whole = expr.outer().of(sql);
        Set<Integer> names =
                expr.columns().stream().map(column -> column.span().start()).collect(Collectors.toSet());
        // a longer one may contain a shorter one
        List<Integer> longestFirst = IntStream.range(0, keys.size())
                .boxed()
                .sorted(Comparator.comparingInt(index -> {
                    TextRange span = keys.get(index).outer();
                    return span.start() - span.end();
                }))
                .toList();
        for (int index : longestFirst) {
            Expr key = keys.get(index);
            String wanted = key.outer().of(sql);
            if (key.kind() != Expr.ExprKind.OTHER || !isCall(key, wanted)) {
                continue;
            }
            int columnAt = key.columns().get(0).span().start() - key.outer().start();
            for (int at = whole.indexOf(wanted); at >= 0; at = whole.indexOf(wanted, at + 1)) {
                TextRange span =
                        new TextRange(expr.outer().start() + at, expr.outer().start() + at + wanted.length());
                int columnStart = span.start() + columnAt;
                boolean name = names.contains(columnStart);
                boolean border = at == 0 || !isNamePart(whole.charAt(at - 1));
                if (name && border && !splice.covers(span)) {
                    splice.replace(span, List.of(new Template.KeyRef(index)));
                }
            }
        }
    }

    /**
     * Whether an expression is one call without parentheses around it. With string literals, it must be a flat one; else
     * its parenthesis must directly follow its name. {@code NOT(a)} is no call: in {@code NOT(a) + 1}, it is no unit.
     */
    private static boolean isCall(Expr expr, String text) {
        int open = text.indexOf('(');
        if (open <= 0 || !(expr instanceof Expr.Call || expr instanceof Expr.Cast)) {
            return false;
        }
        if (text.indexOf('\'') >= 0 || text.indexOf('"') >= 0) {
            return isFlat(expr.tokens());
        }
        return text.chars().limit(open).allMatch(c -> isNamePart((char) c));
    }

    /** Whether a call contains no other parentheses than its own, not even in a literal. */
    private static boolean isFlat(String call) {
        return call.indexOf('(') == call.lastIndexOf('(') && call.indexOf(')') == call.length() - 1;
    }

    private static boolean isNamePart(char c) {
        return Character.isLetterOrDigit(c) || c == '_' || c == '$' || c == '.' || c == '`';
    }
}
