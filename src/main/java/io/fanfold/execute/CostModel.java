package io.fanfold.execute;

import io.fanfold.config.FanOutConfig;
import io.fanfold.plan.CostGate;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.LogicalAggregation;
import io.fanfold.plan.LogicalPlan;
import io.fanfold.plan.LogicalPlan.PlainRows;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.plan.PlanDoubt;
import io.fanfold.pool.AutoDegree;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Hint;
import io.fanfold.sql.StatementModel;
import io.fanfold.wire.ServerFlavor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Decides from measured times whether a statement is split this time. Safe for all threads. */
final class CostModel {
    /** A lower bound: no current server reads twenty million rows a second on one core. */
    private static final long LEAST_NANOS_A_ROW = 50;

    /** The usual time of a row without conditions, on either server (SSB, rows in memory: 180 to 300 ns). */
    private static final long LIKELY_NANOS_A_ROW = 300;

    /** A split that is not known to be faster may take this many times as long as the unsplit statement: it also fills caches. */
    private static final long MOST_OF_DIRECT = 2;

    /** What it may take beyond that: it may have to open connections. */
    private static final Duration MOST_MORE = Duration.ofMillis(100);

    /**
     * The most groups of a partition query that are taken to fit into the server's memory, with the default tmp_table_size
     * of 16 MB. With 195,000 groups of an INT and a SUM in each of 8 queries, MySQL 9.7 took a third longer than with
     * 170,000 in each of 16. MariaDB 10.11 was faster with the 8.
     */
    private static final long MYSQL_GROUPS = 150_000;

    private static final long MARIADB_GROUPS = 250_000;

    /** Time for a few rounds, for statements whose duration is unknown. */
    private static final long LEAST_PATIENCE_NANOS = 10_000_000;

    /** A statement whose snapshots cannot be opened takes at most a fifth longer. */
    private static final int PATIENCE_SHARE = 5;

    private final FanOutConfig config;
    private final ExecutionHistory history;

    CostModel(FanOutConfig config, ExecutionHistory history) {
        this.config = config;
        this.history = history;
    }

    /** Whether costs are not compared, because of the setting or the statement's hint. */
    boolean open(StatementModel statement) {
        return open(statement.hint());
    }

    private boolean open(Hint hint) {
        return config.minRows() == 0 || hint instanceof Hint.Parallel;
    }

    /** Refuses a statement that is known to be no slower without a split. */
    void requireNotSlower(StatementModel statement, String digest) throws RefusedException {
        if (!open(statement) && history.prefersDirect(digest)) {
            throw new RefusedException(Reason.MEASURED, "no slower without a split");
        }
    }

    /**
     * Refuses a statement that is faster with a split only because it uses more cores, if other statements use these. If
     * this is not known yet, it refuses one execution, so that the unsplit statement is timed. Without
     * a split, each statement has a core; with it, the server does the same work and what the split costs.
     *
     * @param others how many long statements of other clients run
     * @param servers how many servers execute them, 1 or more
     * @param connections the most worker connections to one server. If they bound the degree that Fanfold has found, the
     *     server may have as many cores
     */
    void requireFreeCores(Hint hint, String digest, int others, int servers, int connections) throws RefusedException {
        if (!open(hint) && others >= cores(servers, connections) && !history.maySaveWork(digest)) {
            throw new RefusedException(Reason.CORES_BUSY, others + " long statements of other clients run");
        }
    }

    /**
     * Returns how many queries share a core, 1 or more. So a query takes that many times as long as on a core that does nothing
     * else.
     *
     * @param queries the mean number of queries that the servers execute at once
     * @param servers as of {@link #requireFreeCores}
     * @param connections as of {@link #requireFreeCores}
     */
    double load(double queries, int servers, int connections) {
        return Math.max(1, queries / cores(servers, connections));
    }

    private long cores(int servers, int connections) {
        boolean bounded = config.autoDegree() && config.degree() >= AutoDegree.most(connections);
        return (long) servers * (bounded ? Math.max(config.cores(), connections) : config.cores());
    }

    /** Refuses a statement that may be faster without a split, so that it can be timed that way. */
    void tryDirect(LogicalStatement logical, String digest, List<ExplainedTable> explained, List<ExplainedTable> atMost)
            throws RefusedException {
        if (triesDirect(logical, digest, explained, atMost)) {
            throw new RefusedException(Reason.MEASURED, "is it shorter without a split?");
        }
    }

    /**
     * Whether a statement may be faster without a split, and is to be timed that way. Where the estimate is rough, the
     * statement counts as long: a needless split costs milliseconds, a split that is put off may cost minutes.
     *
     * @param atMost the plan with the most rows that it may read
     */
    boolean triesDirect(
            LogicalStatement logical, String digest, List<ExplainedTable> explained, List<ExplainedTable> atMost) {
        boolean manyRows = shape(logical) instanceof PlainRows || materializes(shape(logical));
        long likely = saturated(CostGate.total(atMost), LIKELY_NANOS_A_ROW);
        return !open(logical.statement())
                && history.shouldTryDirect(digest, leastNanos(logical, explained), likely, manyRows);
    }

    /** Whether the final query gets materialized rows: transferring these may take longer than computing them. */
    private static boolean materializes(LogicalPlan.Shape shape) {
        return shape instanceof LogicalAggregation aggregation
                && aggregation.materialized().isPresent();
    }

    /** Returns the shape of the first block. Plain rows are always the only block. */
    private static LogicalPlan.Shape shape(LogicalStatement logical) {
        return logical.blocks().get(0).shape();
    }

    /**
     * A lower bound of the statement's time: it reads the rows of its largest table. Sorted rows may be read from an
     * index.
     */
    private static long leastNanos(LogicalStatement logical, List<ExplainedTable> explained) {
        if (shape(logical) instanceof PlainRows
                && !logical.blocks().get(0).model().orderBy().isEmpty()) {
            return 0;
        }
        return saturated(rows(explained), LEAST_NANOS_A_ROW);
    }

    /** The largest number of rows that the server reads of one table, by its estimate. */
    static long rows(List<ExplainedTable> explained) {
        return explained.stream().mapToLong(ExplainedTable::rows).max().orElse(0);
    }

    private static long saturated(long rows, long nanos) {
        return rows > Long.MAX_VALUE / nanos ? Long.MAX_VALUE : rows * nanos;
    }

    /**
     * How long to try to open equal snapshots. If none can be opened, the statement takes that much longer than
     * unsplit.
     */
    Duration patience(LogicalStatement logical, String digest, List<ExplainedTable> explained) {
        return open(logical.statement())
                ? config.snapshots().time()
                : patience(Math.max(leastNanos(logical, explained), history.directNanos(digest)));
    }

    /** A fifth of the lower bound of the statement's time, which may be unknown. */
    static Duration patience(long leastNanos) {
        return Duration.ofNanos(Math.max(LEAST_PATIENCE_NANOS, leastNanos / PATIENCE_SHARE));
    }

    /**
     * How long a split may take that was not timed yet, or was slower, if the statement's time without a split is known. With
     * a bad plan, partition queries may take many times as long as the whole statement.
     *
     * @return the time from the statement's arrival until its answer begins; empty for no limit
     */
    Optional<Duration> splitLimit(Hint hint, String digest) {
        return open(hint) || !history.limitsSplit(digest)
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(saturated(history.directNanos(digest), MOST_OF_DIRECT))
                        .plus(MOST_MORE));
    }

    /** Whether partition queries should have dynamic filters. */
    boolean filters(StatementModel statement, String digest) {
        return open(statement) || history.prefersFilters(digest);
    }

    /**
     * Refuses a split whose plan is in doubt, unless the unsplit statement is known to take long, and longer than a worker
     * is likely to take for the rows of these plans.
     */
    void evaluate(Optional<PlanDoubt> doubt, String digest) throws RefusedException {
        if (doubt.isEmpty()) {
            return;
        }
        if (history.directUnknown(digest)) {
            throw new RefusedException(Reason.MEASURED, doubt.get().refusal().detail());
        }
        if (!history.worthATry(digest, saturated(doubt.get().rows(), LIKELY_NANOS_A_ROW))) {
            throw new RefusedException(doubt.get().refusal());
        }
    }

    /** The maximum number of workers of a statement: its hint's or the setting's, at most {@code connections}. */
    int most(Hint hint, int connections) {
        return Math.max(1, Math.min(asked(hint).orElse(config.degree()), connections));
    }

    /**
     * Like {@link #most}, for a table whose partitions are on several servers. A degree that Fanfold has found comes from the
     * cores of one server. So there is at least one worker for each of these servers.
     */
    int most(Hint hint, int connections, int servers) {
        int most = most(hint, connections);
        return asked(hint).isEmpty() && config.autoDegree() ? Math.max(most, Math.min(servers, connections)) : most;
    }

    private static Optional<Integer> asked(Hint hint) {
        return hint instanceof Hint.Parallel parallel ? parallel.degree() : Optional.empty();
    }

    /**
     * Whether a statement with little work gets fewer workers and fewer queries: yes, unless its hint names a number of
     * workers, or costs are not compared at all.
     */
    boolean byWork(Hint hint) {
        return asked(hint).isEmpty() && config.minRows() > 0;
    }

    /**
     * The number of workers of a statement: {@link #most}, or fewer if it has little work. Not for transactions: the
     * workers of the first statement also serve later ones, which may have more work.
     *
     * @param explained the server's plan of the statement
     */
    int degree(Hint hint, String digest, List<ExplainedTable> explained, int connections) {
        int most = most(hint, connections);
        return byWork(hint) ? Math.min(most, degree(scanNanos(digest, explained))) : most;
    }

    /** How long one worker takes for all partition queries of a statement, measured or by the server's estimate. */
    long scanNanos(String digest, List<ExplainedTable> explained) {
        long rows = CostGate.total(explained);
        return history.scanNanos(digest, rows).orElse(saturated(rows, LIKELY_NANOS_A_ROW));
    }

    /**
     * Whether a partition query of such a statement has returned more groups than the server may hold in memory, and smaller
     * queries would have fewer.
     */
    boolean manyGroups(String digest, ServerFlavor flavor) {
        return history.mostGroups(digest) > (flavor.isMariaDb() ? MARIADB_GROUPS : MYSQL_GROUPS);
    }

    /**
     * The number of workers that end soonest. N workers take {@code work / N} for the partition queries and
     * {@code N * SplitCost.WORKER_NANOS} for themselves, which is least where N is the square root of the quotient.
     *
     * @param scanNanos the time that one worker takes for all partition queries
     */
    static int degree(long scanNanos) {
        return (int) Math.max(1, Math.round(Math.sqrt((double) scanNanos / SplitCost.WORKER_NANOS)));
    }

    /**
     * Records how long all partition queries of a statement took together.
     *
     * @param coreNanos that time on a core that does nothing else
     * @param received the rows that they returned
     */
    void scanned(String digest, List<ExplainedTable> explained, long nanos, long coreNanos, long received) {
        history.scanned(digest, CostGate.total(explained), nanos, coreNanos, received);
    }
}
