package io.fanfold.verify;

import io.fanfold.row.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The digest of an answer, computed row by row. If the statement orders its rows, their hashes are kept too, so that rows
 * that are equal in the order may stand in any order. Not thread-safe.
 */
public final class AnswerDigest {
    /** With more rows, their hashes are not kept. They take about 50 bytes each. */
    static final int MOST_KEPT = 20_000;

    private final List<ColumnRule> rules;
    private final boolean ordered;
    private final boolean chosen;
    private final RowsDigest all = new RowsDigest();
    private final RowsDigest certain = new RowsDigest();
    private final List<RowHash> kept = new ArrayList<>();
    private final List<RowHash> keptCertain = new ArrayList<>();

    /** Creates the digest of no rows. */
    public AnswerDigest(AnswerChoices choices) {
        this.rules = choices.columns();
        this.ordered = choices.ordered();
        this.chosen = choices.chosen();
    }

    /** Adds a row of the answer, with its columns and no others. */
    public void add(byte[] payload) {
        add(Row.of(payload, rules.size()));
    }

    void add(Row row) {
        RowHash hash = RowHash.of(row, rules);
        RowHash certainHash = chosen ? RowHash.ofCertain(row, rules) : hash;
        all.add(hash);
        certain.add(certainHash);
        if (ordered && all.rows() <= MOST_KEPT) {
            kept.add(hash);
            if (chosen) {
                keptCertain.add(certainHash);
            }
        }
    }

    long rows() {
        return all.rows();
    }

    /** Whether the rows are the same, and in the same order if the statement orders them. */
    boolean same(AnswerDigest other) {
        return ordered ? all.sameOrder(other.all) : all.sameRows(other.all);
    }

    /** Whether the rows are the same in the columns without a choice; see {@link #same}. */
    boolean sameCertain(AnswerDigest other) {
        return ordered ? certain.sameOrder(other.certain) : certain.sameRows(other.certain);
    }

    /** Whether the rows are the same in any order. */
    boolean sameRows(AnswerDigest other, boolean onlyCertain) {
        return onlyCertain ? certain.sameRows(other.certain) : all.sameRows(other.all);
    }

    /** The hashes of all rows in order; empty if they were not kept. */
    Optional<List<RowHash>> inOrder(boolean onlyCertain) {
        List<RowHash> hashes = onlyCertain && chosen ? keptCertain : kept;
        return ordered && hashes.size() == all.rows() ? Optional.of(hashes) : Optional.empty();
    }

    @Override
    public String toString() {
        return all.toString();
    }
}
