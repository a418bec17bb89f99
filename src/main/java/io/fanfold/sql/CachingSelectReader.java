package io.fanfold.sql;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.RefusedException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A {@link SelectReader} that caches results by text and dialect, within a limit of bytes. Safe for use by several
 * threads. Two threads that read the same new text at once may both do the work.
 */
public final class CachingSelectReader {
    /** The approximate size of a result without its text; each character of the text adds the bytes below. */
    private static final int BASE_BYTES = 512;

    /** A statement and its trees take 27 to 36 bytes of heap for each character, the text included. */
    private static final int BYTES_PER_CHARACTER = 32;

    /**
     * The cache key.
     *
     * @param sql the text
     * @param dialect the dialect
     */
    private record ReadingKey(String sql, SqlDialect dialect) {}

    private final SelectReader reader;
    /** What reading a text led to: exactly one of the two is null. */
    private record Reading(
            @Nullable StatementModel statement, @Nullable Refusal refusal) {
        StatementModel get() throws RefusedException {
            if (statement == null) {
                throw new RefusedException(Objects.requireNonNull(refusal));
            }
            return statement;
        }
    }

    private final Cache<ReadingKey, Reading> results;

    /**
     * Creates a reader with an empty cache.
     *
     * @param reader does the work
     * @param maxBytes the approximate heap limit of the results, 0 or more
     */
    public CachingSelectReader(SelectReader reader, long maxBytes) {
        this.reader = reader;
        this.results = Caffeine.newBuilder()
                .maximumWeight(maxBytes)
                .weigher((ReadingKey key, Reading reading) -> weight(key))
                .executor(Runnable::run)
                .build();
    }

    /** Reads one statement, see {@link SelectReader#read}. */
    public StatementModel read(String sql, SqlDialect dialect) throws RefusedException {
        ReadingKey key = new ReadingKey(sql, dialect);
        Reading known = results.getIfPresent(key);
        if (known != null) {
            return known.get();
        }
        Reading reading = readAnew(sql, dialect);
        boolean timedOut =
                reading.refusal() != null && reading.refusal().detail().equals(ParserRun.TIMED_OUT);
        if (!timedOut && sql.length() <= SelectReader.MAX_LENGTH) {
            results.put(key, reading);
        }
        return reading.get();
    }

    private Reading readAnew(String sql, SqlDialect dialect) {
        try {
            return new Reading(reader.read(sql, dialect), null);
        } catch (RefusedException e) {
            return new Reading(null, e.refusal());
        }
    }

    private static int weight(ReadingKey key) {
        return BASE_BYTES + BYTES_PER_CHARACTER * key.sql().length();
    }

    /** Returns the approximate size of the results in bytes. */
    long weightedSize() {
        results.cleanUp();
        return results.policy().eviction().orElseThrow().weightedSize().orElse(0);
    }
}
