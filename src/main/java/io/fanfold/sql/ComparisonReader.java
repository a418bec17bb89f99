package io.fanfold.sql;

import io.fanfold.sql.Clauses.Range;
import io.fanfold.sql.SelectModel.Comparison;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads conditions that only compare columns with literals and with each other. Only the comparisons matter, not how
 * AND, OR and NOT combine them. Anything else makes the result empty. Words such as NULL or TRUE are taken for columns;
 * their type distinguishes them later. For one reading.
 *
 * <pre>
 * condition   part ((AND | OR) part)*
 * part        NOT part | ( condition ) | comparison
 * comparison  column = value | value = column | column IS [NOT] NULL | column [NOT] IN (literal, ...)
 *             | column [NOT] BETWEEN value AND value | column [NOT] LIKE string
 * value       column | literal
 * literal     number | string | DATE string [(+ | -) INTERVAL (number | string) (DAY | WEEK | MONTH | YEAR)]
 * </pre>
 */
final class ComparisonReader {
    private static final Set<String> OPERATORS = Set.of("=", "<=>", "<", "<=", ">", ">=", "<>", "!=");
    private static final Set<String> UNITS = Set.of("DAY", "WEEK", "MONTH", "YEAR");

    private final TokenList list;
    private final List<Comparison> comparisons = new ArrayList<>();
    private final int end;
    private int at;

    /** The operands of one comparison so far. */
    private static final class Sides {
        final List<TextRange> columns = new ArrayList<>();
        final List<String> literals = new ArrayList<>();

        Comparison done(boolean pattern) {
            return new Comparison(columns, literals, pattern);
        }
    }

    private ComparisonReader(TokenList list, Range range) {
        this.list = list;
        this.at = range.from();
        this.end = range.to();
    }

    /** Returns all comparisons of some conditions, empty if these contain anything else. */
    static Optional<List<Comparison>> read(TokenList list, List<Range> conditions) {
        List<Comparison> all = new ArrayList<>();
        for (Range range : conditions) {
            ComparisonReader reader = new ComparisonReader(list, range);
            if (!reader.condition() || reader.at != reader.end) {
                return Optional.empty();
            }
            all.addAll(reader.comparisons);
        }
        return Optional.of(all);
    }

    private Token token() {
        return at < end ? list.at(at) : list.at(-1);
    }

    private boolean word(String keyword) {
        boolean found = token().is(keyword);
        at += found ? 1 : 0;
        return found;
    }

    private boolean symbol(String symbol) {
        boolean found = token().symbol(symbol);
        at += found ? 1 : 0;
        return found;
    }

    private boolean condition() {
        do {
            if (!part()) {
                return false;
            }
        } while (word("AND") || word("OR"));
        return true;
    }

    private boolean part() {
        if (word("NOT")) {
            return part();
        }
        if (symbol("(")) {
            return condition() && symbol(")");
        }
        return comparison();
    }

    private boolean comparison() {
        Sides sides = new Sides();
        if (literal(sides)) {
            return operator() && column(sides) && add(sides, false);
        }
        if (!column(sides)) {
            return false;
        }
        if (operator()) {
            return value(sides) && add(sides, false);
        }
        if (word("IS")) {
            word("NOT");
            // computes no value
            return word("NULL");
        }
        word("NOT");
        if (word("IN")) {
            return symbol("(") && literals(sides) && symbol(")") && add(sides, false);
        }
        if (word("BETWEEN")) {
            return value(sides) && word("AND") && value(sides) && add(sides, false);
        }
        return word("LIKE") && token().kind() == Token.TokenKind.STRING && literal(sides) && add(sides, true);
    }

    private boolean add(Sides sides, boolean pattern) {
        comparisons.add(sides.done(pattern));
        return true;
    }

    private boolean operator() {
        boolean found = token().kind() == Token.TokenKind.SYMBOL && OPERATORS.contains(token().text());
        at += found ? 1 : 0;
        return found;
    }

    private boolean literals(Sides sides) {
        do {
            if (!literal(sides)) {
                return false;
            }
        } while (symbol(","));
        return true;
    }

    private boolean value(Sides sides) {
        return literal(sides) || column(sides);
    }

    private boolean literal(Sides sides) {
        return date(sides) || plainLiteral(sides);
    }

    /**
     * Reads a date literal, optionally plus or minus an interval. The result has {@code DATE} directly before the
     * quotes.
     */
    private boolean date(Sides sides) {
        int start = at;
        if (!word("DATE") || token().kind() != Token.TokenKind.STRING) {
            at = start;
            return false;
        }
        String date = "DATE" + token().text();
        at++;
        int after = at;
        String sign = token().text();
        boolean moved = (symbol("+") || symbol("-")) && word("INTERVAL");
        Token amount = token();
        boolean counted = amount.kind() == Token.TokenKind.NUMBER || amount.kind() == Token.TokenKind.STRING;
        Token unit = list.at(at + 1);
        if (moved
                && counted
                && at + 1 < this.end
                && unit.kind() == Token.TokenKind.WORD
                && UNITS.contains(unit.text())) {
            at += 2;
            sides.literals.add(date + " " + sign + " INTERVAL " + amount.text() + " " + unit.text());
        } else {
            at = after;
            sides.literals.add(date);
        }
        return true;
    }

    private boolean plainLiteral(Sides sides) {
        int start = at;
        boolean negative = symbol("-");
        Token token = token();
        boolean number = token.kind() == Token.TokenKind.NUMBER;
        boolean string = token.kind() == Token.TokenKind.STRING && !negative;
        if (!number && !string) {
            at = start;
            return false;
        }
        at++;
        sides.literals.add((negative ? "-" : "") + token.text());
        return true;
    }

    /** Reads a name of up to three parts that is not a function. */
    private boolean column(Sides sides) {
        int start = at;
        if (!token().named()) {
            return false;
        }
        at++;
        while (token().symbol(".") && list.at(at + 1).named() && at + 1 < end) {
            at += 2;
        }
        if (token().symbol("(")) {
            return false;
        }
        sides.columns.add(list.span(start, at));
        return true;
    }
}
