package io.fanfold.cli.fuzz;

import java.util.List;

/**
 * What SQL promises of a statement's answer, worked out from the statement alone.
 *
 * @param sound whether two right answers can be told from a wrong one at all
 * @param total whether the order of the rows is fixed
 * @param limited whether a LIMIT cuts rows off
 * @param columns what is open in each column; columns beyond the list are closed
 * @param sorted columns by which the rows are sorted first, from 0, as far as all of them are closed
 */
record Expectation(boolean sound, boolean total, boolean limited, List<Openness> columns, List<Integer> sorted) {
    /**
     * What the server may choose in a value.
     *
     * @param kind nothing, or which of several equal values
     * @param collation of strings: under which they are equal, "" for the connection's
     */
    record Openness(Kind kind, String collation) {
        static final Openness CLOSED = new Openness(Kind.CLOSED, "");
        static final Openness MURKY = new Openness(Kind.MURKY, "");

        /** What is open. */
        enum Kind {
            /** The bytes are certain. */
            CLOSED,
            /** One of several strings that are equal under a collation. */
            STRING,
            /** 0, -0 or 0000. */
            ZERO,
            /** Anything that depends on such a choice. */
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
