package io.fanfold.verify;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.status.StatusSource;
import io.fanfold.status.StatusTable;
import io.fanfold.status.StatusTable.StatusColumn;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The statements whose answer differed from the server's. They are not split until somebody allows it, or the proxy
 * restarts. Safe for all threads.
 */
public final class DifferingStatements implements StatusSource {
    /** With more, something is wrong in general: then no further statement is split. */
    static final int MOST = 1_000;

    private static final int ID_DIGITS = 16;

    /**
     * A statement with a different answer.
     *
     * @param id names the statement in logs and reports
     * @param schema "" if the session has none
     * @param text the statement without its literals
     * @param since when the difference was found last
     * @param why what differs
     */
    public record DifferingStatement(String id, String schema, String text, Instant since, String why) {}

    @GuardedBy("this")
    private final Map<String, DifferingStatement> byId = new LinkedHashMap<>();

    /** Whether there are none, without a lock: every statement asks. */
    private volatile boolean empty = true;

    /** Returns the name of the statements with a digest: 16 hexadecimal digits. */
    public static String id(String digest) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(digest.getBytes(StandardCharsets.UTF_8)))
                    .substring(0, ID_DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }

    /** Adds a statement, or replaces what is known of it. */
    public synchronized void add(DifferingStatement found) {
        byId.put(found.id(), found);
        empty = false;
    }

    /** Whether a statement must not be split. */
    public boolean contains(String digest) {
        return !empty && has(id(digest));
    }

    private synchronized boolean has(String id) {
        return byId.size() > MOST || byId.containsKey(id);
    }

    /**
     * Allows a statement to be split again.
     *
     * @return false if it is not one of these
     */
    public synchronized boolean allow(String id) {
        boolean known = byId.remove(id) != null;
        empty = byId.isEmpty();
        return known;
    }

    /** Returns all of them, the oldest first. */
    public synchronized List<DifferingStatement> all() {
        return List.copyOf(byId.values());
    }

    /** Returns a sentence for each of them, for health checks. */
    public List<String> warnings() {
        return all().stream()
                .map(found ->
                        "the split answer to statement " + found.id() + " differed from the server's: " + found.why())
                .toList();
    }

    /** Columns as documented in operations.md. */
    @Override
    public StatusTable read(Viewer viewer) {
        return new StatusTable(
                List.of(
                        StatusColumn.text("ID"),
                        StatusColumn.text("SCHEMA_NAME"),
                        StatusColumn.text("DIGEST_TEXT"),
                        StatusColumn.text("FOUND"),
                        StatusColumn.text("DIFFERENCE")),
                2,
                all().stream().map(DifferingStatements::row).toList());
    }

    private static List<@Nullable Object> row(DifferingStatement found) {
        return List.of(
                found.id(),
                found.schema(),
                found.text(),
                found.since().truncatedTo(ChronoUnit.SECONDS).toString(),
                found.why());
    }
}
