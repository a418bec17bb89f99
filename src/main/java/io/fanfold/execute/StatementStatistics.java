package io.fanfold.execute;

import io.fanfold.reason.Reason;
import io.fanfold.status.StatusSource;
import io.fanfold.status.StatusTable;
import io.fanfold.status.StatusTable.StatusColumn;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Counts executions by schema, user and digest, like the server's {@code events_statements_summary_by_digest}. At most
 * {@value #MOST} of these have counts of their own; all further ones together have one row, without a digest, as at the
 * server. Safe for all threads.
 */
final class StatementStatistics implements StatusSource {
    private static final int MOST = 1_000;
    private static final StatementKey OTHERS = new StatementKey("", "", "");

    /**
     * What is counted together.
     *
     * @param schema "" if the session has none
     * @param text the statement without its literals, see {@link io.fanfold.sql.StatementDigest}
     */
    private record StatementKey(String schema, String user, String text) {}

    private final ConcurrentMap<StatementKey, StatementCounts> counts = new ConcurrentHashMap<>();
    private final StatementCounts others = new StatementCounts(OTHERS);
    private final ServerDigests digests;

    StatementStatistics(ServerDigests digests) {
        this.digests = digests;
    }

    /**
     * Returns the counts of like statements.
     *
     * @param text the statement without its literals
     * @param sql the statement, of which the server is asked for its own digest
     */
    StatementCounts of(String schema, String user, String text, byte[] sql) {
        StatementKey key = new StatementKey(schema, user, text);
        StatementCounts known = counts.get(key);
        if (known != null) {
            return known;
        }
        // several threads may pass the limit by one each
        if (counts.size() >= MOST) {
            return others;
        }
        StatementCounts fresh = new StatementCounts(key);
        StatementCounts earlier = counts.putIfAbsent(key, fresh);
        if (earlier == null) {
            digests.wants(fresh, sql);
        }
        return earlier == null ? fresh : earlier;
    }

    /** Columns as documented in operations.md; the statements that took the most time first. */
    @Override
    public StatusTable read(Viewer viewer) {
        List<StatementCounts> shown = counts.values().stream()
                .filter(each -> viewer.sees(each.key.user()))
                .sorted(Comparator.comparingLong(StatementCounts::totalNanos).reversed())
                .collect(Collectors.toCollection(ArrayList::new));
        if (viewer.all() && others.executions() > 0) {
            shown.add(others);
        }
        return new StatusTable(
                List.of(
                        StatusColumn.text("SCHEMA_NAME"),
                        StatusColumn.text("USER"),
                        StatusColumn.text("DIGEST"),
                        StatusColumn.text("DIGEST_TEXT"),
                        StatusColumn.integer("EXECUTIONS"),
                        StatusColumn.integer("SPLIT"),
                        StatusColumn.integer("PASSED_THROUGH"),
                        StatusColumn.integer("CANCELLED"),
                        StatusColumn.text("REASONS"),
                        StatusColumn.text("LAST_REASON"),
                        StatusColumn.decimal("SPLIT_SECONDS"),
                        StatusColumn.decimal("WORST_SPLIT_SECONDS"),
                        StatusColumn.decimal("DIRECT_SECONDS"),
                        StatusColumn.decimal("WORST_DIRECT_SECONDS"),
                        StatusColumn.decimal("SAVED_SECONDS"),
                        StatusColumn.decimal("EXPECTED_SAVED_SECONDS")),
                3,
                shown.stream().map(StatementCounts::row).toList());
    }

    /** The counts of like statements. Safe for all threads. */
    static final class StatementCounts {
        private final StatementKey key;
        private volatile ServerDigests.@Nullable StatementName name;
        private final Map<Reason, Long> reasons = new EnumMap<>(Reason.class);
        private @Nullable Reason lastReason;
        private long split;
        private long cancelled;
        private long splitNanos;
        private long worstSplitNanos;
        private long directs;
        private long directNanos;
        private long worstDirectNanos;
        private long savedNanos;
        private long expectedSavedNanos;

        private StatementCounts(StatementKey key) {
            this.key = key;
        }

        /** The server has named the statement. */
        void named(ServerDigests.StatementName server) {
            name = server;
        }

        private ServerDigests.StatementName name() {
            ServerDigests.StatementName server = name;
            return server == null ? new ServerDigests.StatementName(sha256(key.text()), key.text()) : server;
        }

        /**
         * A fan-out has answered.
         *
         * @param nanos from the arrival of the statement to the end of its answer
         * @param knownDirectNanos how long a like statement took without a split; 0 if that is not known, so that nothing
         *     counts as saved
         */
        synchronized void split(long nanos, long knownDirectNanos) {
            split++;
            splitNanos += nanos;
            worstSplitNanos = Math.max(worstSplitNanos, nanos);
            long direct = knownDirectNanos == 0 && directs > 0 ? directNanos / directs : knownDirectNanos;
            savedNanos += direct == 0 ? 0 : direct - nanos;
        }

        synchronized void passed(Reason reason) {
            reasons.merge(reason, 1L, Long::sum);
            lastReason = reason;
        }

        /** The server has answered a statement that was passed through. */
        synchronized void direct(long nanos) {
            directs++;
            directNanos += nanos;
            worstDirectNanos = Math.max(worstDirectNanos, nanos);
        }

        /**
         * The server has answered a statement that would have been split.
         *
         * @param expectedNanos see {@link ExecutionHistory#expectedNanos}
         */
        synchronized void observed(long nanos, long expectedNanos) {
            expectedSavedNanos += Math.max(0, nanos - expectedNanos);
        }

        /** A fan-out was cancelled, or failed after its answer had begun. */
        synchronized void cancelled() {
            cancelled++;
        }

        private synchronized long totalNanos() {
            return splitNanos + directNanos;
        }

        private synchronized long executions() {
            return split + cancelled + passedThrough();
        }

        private long passedThrough() {
            return reasons.values().stream().mapToLong(Long::longValue).sum();
        }

        private synchronized List<@Nullable Object> row() {
            boolean other = key.equals(OTHERS);
            List<@Nullable Object> row = new ArrayList<>();
            row.add(other ? null : key.schema());
            row.add(other ? null : key.user());
            row.add(other ? null : name().digest());
            row.add(other ? null : name().text());
            row.add(executions());
            row.add(split);
            row.add(passedThrough());
            row.add(cancelled);
            row.add(reasons.entrySet().stream()
                    .map(reason -> reason.getKey().label() + "=" + reason.getValue())
                    .collect(Collectors.joining(" ")));
            row.add(lastReason == null ? null : lastReason.label());
            row.add(seconds(splitNanos));
            row.add(seconds(worstSplitNanos));
            row.add(seconds(directNanos));
            row.add(seconds(worstDirectNanos));
            row.add(seconds(savedNanos));
            row.add(seconds(expectedSavedNanos));
            return row;
        }

        private static double seconds(long nanos) {
            return Math.round(nanos / 1e3) / 1e6;
        }

        private static String sha256(String text) {
            try {
                return HexFormat.of()
                        .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java runtime has SHA-256", e);
            }
        }
    }
}
