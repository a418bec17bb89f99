package io.fanfold.verify;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks that rows may be the answer to a sorted statement: at each place stands one of the rows that have the rank of
 * this place. Not thread-safe.
 */
final class OrderCheck {
    private final List<RowHash> sent;
    private final long offset;
    private final long count;
    private final Set<RowHash> wanted;

    /** How often each of the sent rows is among the rows of the current rank. */
    private final Map<RowHash, Integer> equal = new HashMap<>();

    private String rank = "";
    private long begin;
    private long end;
    private boolean wrong;

    /**
     * Creates a check.
     *
     * @param sent the rows of the answer in order
     * @param offset the number of rows that the statement skips
     * @param count the number of rows that it returns at most
     */
    OrderCheck(List<RowHash> sent, long offset, long count) {
        this.sent = sent;
        this.wanted = new HashSet<>(sent);
        this.offset = offset;
        this.count = count;
    }

    /** Adds a row of the statement without its LIMIT, in order. */
    void add(RowHash row, String rankOfRow) {
        if (!rankOfRow.equals(rank)) {
            close();
            rank = rankOfRow;
        }
        end++;
        // also rows before the offset, which may stand at a later place of the same rank
        if (begin < offset + sent.size() && wanted.contains(row)) {
            equal.merge(row, 1, Integer::sum);
        }
    }

    /** Checks the places of the rank that has ended. */
    private void close() {
        long from = Math.max(begin, offset);
        long to = Math.min(end, offset + sent.size());
        for (long place = from; place < to; place++) {
            wrong |= equal.merge(sent.get((int) (place - offset)), -1, Integer::sum) < 0;
        }
        equal.clear();
        begin = end;
    }

    /** Returns whether the rows may be the answer; to be called once, after the last row. */
    boolean allows() {
        close();
        return !wrong && sent.size() == Math.max(0, Math.min(count, end - offset));
    }
}
