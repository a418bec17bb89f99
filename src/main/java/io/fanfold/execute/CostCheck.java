package io.fanfold.execute;

import io.fanfold.config.FanOutConfig;
import io.fanfold.metrics.Reason;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.SplitDecision.PassThrough;
import io.fanfold.plan.SplitDraft;
import io.fanfold.plan.SplitDraft.PlainRows;
import io.fanfold.plan.StatementDraft;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.StatementModel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Decides by experience whether a statement is split this time. Safe for all threads. */
final class CostCheck {
    /** No server of today reads twenty million rows a second on one core. */
    private static final long LEAST_NANOS_A_ROW = 50;

    /** What a row takes without conditions on either server (SSB, rows in memory: 180 to 300 ns). */
    private static final long LIKELY_NANOS_A_ROW = 300;

    /** A few rounds, for statements of which it is not known how long they take. */
    private static final long LEAST_PATIENCE_NANOS = 10_000_000;

    private final FanOutConfig config;
    private final Experience experience;

    CostCheck(FanOutConfig config, Experience experience) {
        this.config = config;
        this.experience = experience;
    }

    /** Whether costs are not compared: by the setting or by the statement's hint. */
    boolean open(StatementModel statement) {
        return config.minRows() == 0 || statement.hint() instanceof SelectModel.Hint.Parallel;
    }

    /** Abandons a statement that is known to be no slower without a split. */
    void requireNotSlower(StatementModel statement, String digest) throws Abandoned {
        if (!open(statement) && experience.prefersDirect(digest)) {
            throw new Abandoned(Reason.MEASURED, "no slower without a split");
        }
    }

    /** Abandons a statement whose split has been measured, and that may be shorter without. */
    void tryDirect(StatementDraft draft, String digest, List<ExplainedTable> explained) throws Abandoned {
        boolean manyRows = shape(draft) instanceof PlainRows || gathers(shape(draft));
        long likely = saturated(rows(explained), LIKELY_NANOS_A_ROW);
        if (!open(draft.statement())
                && experience.shouldTryDirect(digest, leastNanos(draft, explained), likely, manyRows)) {
            throw Abandoned.toMeasure("is it shorter without a split?");
        }
    }

    /** Whether rows are carried into the finish query, which may take longer than to make them. */
    private static boolean gathers(SplitDraft.Shape shape) {
        return shape instanceof SplitDraft.Aggregation aggregation
                && aggregation.gathered().isPresent();
    }

    /** Plain rows are never one of several blocks. */
    private static SplitDraft.Shape shape(StatementDraft draft) {
        return draft.blocks().get(0).shape();
    }

    /** What the statement takes at least: it reads the rows of its largest table. Sorted rows may come from an index. */
    private static long leastNanos(StatementDraft draft, List<ExplainedTable> explained) {
        if (shape(draft) instanceof PlainRows
                && !draft.blocks().get(0).model().orderBy().isEmpty()) {
            return 0;
        }
        return saturated(rows(explained), LEAST_NANOS_A_ROW);
    }

    private static long rows(List<ExplainedTable> explained) {
        return explained.stream().mapToLong(ExplainedTable::rows).max().orElse(0);
    }

    private static long saturated(long rows, long nanos) {
        return rows > Long.MAX_VALUE / nanos ? Long.MAX_VALUE : rows * nanos;
    }

    /**
     * How long equal snapshots may be tried for: where they are not to be had, the statement takes so much longer than by
     * itself.
     */
    Duration patience(StatementDraft draft, String digest, List<ExplainedTable> explained) {
        return open(draft.statement())
                ? config.snapshots().time()
                : patience(Math.max(leastNanos(draft, explained), experience.directNanos(digest)));
    }

    /** A fifth of what the statement takes at least by itself, which may not be known. */
    static Duration patience(long leastNanos) {
        return Duration.ofNanos(Math.max(LEAST_PATIENCE_NANOS, leastNanos / 5));
    }

    /** Whether partition queries are to have dynamic filters. */
    boolean filters(StatementModel statement, String digest) {
        return open(statement) || experience.prefersFilters(digest);
    }

    /** A split whose plan is in doubt is tried only where the statement by itself is known to take long. */
    void weigh(Optional<PassThrough> doubts, String digest) throws Abandoned {
        if (doubts.isEmpty()) {
            return;
        }
        if (experience.directUnknown(digest)) {
            throw Abandoned.toMeasure(doubts.get().detail());
        }
        if (!experience.worthATry(digest)) {
            throw new Abandoned(doubts.get());
        }
    }
}
