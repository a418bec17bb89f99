package io.fanfold.sql;

import io.fanfold.sql.Clauses.Range;
import io.fanfold.sql.SelectModel.ColumnRef;
import io.fanfold.sql.SelectModel.Equality;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Finds equalities of two columns that are operands of AND, so that they hold for every row for which the whole
 * condition is true. A condition with OR, or anything that binds as loosely, has none. For one statement. Immutable.
 *
 * <pre>
 * t.k = u.k AND (t.a = u.b AND t.c BETWEEN 1 AND 2) AND f(t.d)   t.k = u.k, t.a = u.b
 * t.k = u.k OR t.a = 1                                           none
 * </pre>
 */
record EqualityReader(TokenList list) {
    /** Words that bind more loosely than AND, or have an AND or END of their own. */
    private static final Set<String> LOOSE = Set.of("OR", "XOR", "CASE");

    /**
     * Returns the equalities of a condition, in their order.
     *
     * @param chooses see {@link Equality#chooses}
     */
    List<Equality> read(Range condition, Set<TextRange> chooses) {
        List<Equality> found = new ArrayList<>();
        for (Range part : conjuncts(condition)) {
            equality(part, chooses, found);
        }
        return found;
    }

    /**
     * Returns the operands of AND, in their order and without parentheses around them. A condition with OR, or with
     * anything else that binds as loosely, is one operand.
     */
    List<Range> conjuncts(Range condition) {
        List<Range> found = new ArrayList<>();
        conjuncts(condition, found);
        return found;
    }

    private void conjuncts(Range range, List<Range> found) {
        List<Range> parts = new ArrayList<>();
        int depth = 0;
        int from = range.from();
        boolean between = false;
        for (int i = range.from(); i < range.to(); i++) {
            Token token = list.at(i);
            depth += token.symbol("(") ? 1 : token.symbol(")") ? -1 : 0;
            if (depth > 0) {
                continue;
            }
            if (loose(token)) {
                found.add(range);
                return;
            }
            if (token.is("BETWEEN")) {
                between = true;
            } else if (token.is("AND") && between) {
                between = false;
            } else if (token.is("AND")) {
                parts.add(new Range(from, i));
                from = i + 1;
            }
        }
        parts.add(new Range(from, range.to()));
        for (Range part : parts) {
            boolean enclosed = list.at(part.from()).symbol("(") && list.closing(part.from()) == part.to() - 1;
            if (enclosed) {
                conjuncts(new Range(part.from() + 1, part.to() - 1), found);
            } else {
                found.add(part);
            }
        }
    }

    private static boolean loose(Token token) {
        return token.kind() == Token.TokenKind.WORD && LOOSE.contains(token.text());
    }

    private void equality(Range part, Set<TextRange> chooses, List<Equality> found) {
        int sign = nameEnd(part.from());
        if (sign > part.from() && list.at(sign).symbol("=") && nameEnd(sign + 1) == part.to() && sign + 1 < part.to()) {
            found.add(new Equality(column(part.from(), sign), column(sign + 1, part.to()), chooses));
        }
    }

    /**
     * Returns the index after a name of up to three parts that starts at {@code start}; {@code start} if there is none.
     */
    private int nameEnd(int start) {
        if (!list.at(start).named()) {
            return start;
        }
        int at = start + 1;
        while (list.at(at).symbol(".") && list.at(at + 1).named() && at < start + 5) {
            at += 2;
        }
        return at;
    }

    private ColumnRef column(int from, int to) {
        String qualifier = null;
        if (to - from > 1) {
            List<String> parts = new ArrayList<>();
            for (int i = from; i < to - 1; i += 2) {
                parts.add(list.at(i).name(list.sql()));
            }
            qualifier = String.join(".", parts);
        }
        return new ColumnRef(list.span(from, to), qualifier, list.at(to - 1).name(list.sql()));
    }
}
