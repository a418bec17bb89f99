package io.fanfold.fuzz;

import java.util.List;

/**
 * The properties of an answer that SQL guarantees, derived from the statement alone.
 *
 * @param sound whether a wrong answer can be distinguished from the right ones at all
 * @param total whether the order of the rows is fixed
 * @param limited whether a LIMIT cuts off rows
 * @param columns the freedom in each column; columns beyond the list are closed
 * @param sorted the leading columns by which rows are sorted, from 0, as far as all of them are closed
 */
record Expectation(boolean sound, boolean total, boolean limited, List<Openness> columns, List<Integer> sorted) {
    /**
     * The server's freedom to choose a value.
     *
     * @param kind none, or the choice between several equal values
     * @param collation of strings: the collation under which they are equal, "" for the connection's
     */
    record Openness(Kind kind, String collation) {
        static final Openness CLOSED = new Openness(Kind.CLOSED, "");
        static final Openness MURKY = new Openness(Kind.MURKY, "");

        /** The kind of freedom. */
        enum Kind {
            /** None: the bytes are fixed. */
            CLOSED,
            /** One of several strings that are equal under a collation. */
            STRING,
            /** 0, -0 or 0000. */
            ZERO,
            /** Any value that depends on such a choice. */
            MURKY
        }

        boolean closed() {
            return kind == Kind.CLOSED;
        }
    }

    Expectation {
        columns = List.copyOf(columns);
        sorted = List.copyOf(sorted);
    }
}
