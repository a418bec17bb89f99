package io.fanfold.sql;

import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What is known of a function or an operator on one kind of server, from {@code functions.tsv}. Immutable.
 *
 * @param name in upper case; the words of {@link Expr#enclosing} are names too
 * @param kinds at least one
 * @param form how it is written
 * @param aggregate the aggregate function that it is; empty if it is none
 * @param chooses how many of its arguments it may return
 * @param divides what it divides for
 * @param rounds whether its result has no more digits inside the server than it shows
 * @param compares whether it converts one argument to the type of another
 * @param converts whether it warns of a value that cannot be converted
 * @param parses whether it reads texts as numbers or times, and warns of others
 * @param keepsAverage whether a quotient may stand for an AVG inside it
 * @param announcedShort whether the server announces too few digits for it
 */
public record FunctionFacts(
        String name,
        Set<FunctionKind> kinds,
        CallForm form,
        Optional<AggregateFunction> aggregate,
        ChoiceWidth chooses,
        DivisionKind divides,
        boolean rounds,
        boolean compares,
        boolean converts,
        boolean parses,
        boolean keepsAverage,
        boolean announcedShort) {
    public FunctionFacts {
        kinds = Set.copyOf(kinds);
    }

    public enum FunctionKind {
        /** Gives the same value for the same arguments. */
        SCALAR,
        OPERATOR,
        AGGREGATE,
        /** May have OVER. */
        WINDOW,
        /** Is the time of the statement; if it is {@link #SCALAR} too, only without arguments. */
        MOMENT,
        /** Depends on the connection or on chance, or has effects. */
        SESSION
    }

    public enum CallForm {
        /** A name before a parenthesis. */
        CALL,
        /** A keyword or symbol. */
        WORD,
        /** A name with or without parentheses. */
        BARE,
        /** The same, but the parser takes the name without parentheses for a column. */
        COLUMN,
        /** A call whose first argument is a unit of time. */
        UNIT,
        /** A call whose last argument may be an INTERVAL. */
        INTERVAL,
        /** A call that may have FROM and FOR between its arguments. */
        FROM,
        /** A call that has IN between its arguments. */
        IN,
        /** A call that needs WITH ROLLUP. */
        ROLLUP
    }

    public enum ChoiceWidth {
        NONE,
        ONE,
        SEVERAL
    }

    public enum DivisionKind {
        NONE,
        QUOTIENT,
        WHOLE,
        REMAINDER
    }

    public boolean is(FunctionKind kind) {
        return kinds.contains(kind);
    }

    /** Whether it is an aggregate function of which something is true. */
    public boolean isAggregate(Predicate<AggregateFunction> what) {
        return aggregate.filter(what).isPresent();
    }

    /** Whether it stands without parentheses, or may. */
    boolean bare() {
        return form == CallForm.WORD || form == CallForm.BARE || form == CallForm.COLUMN;
    }
}
