package io.fanfold.sql;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/**
 * A {@link SelectReader} that caches results by text and dialect, within a limit of bytes. Safe for use by several
 * threads. Two threads that read the same new text at once may both do the work.
 */
public final class CachingSelectReader {
    /** The approximate size of a result without its text; each character of the text adds the bytes below. */
    private static final int BASE_BYTES = 512;

    private static final int BYTES_PER_CHARACTER = 16;

    /**
     * The cache key.
     *
     * @param sql the text
     * @param dialect the dialect
     */
    private record Key(String sql, SqlDialect dialect) {}

    private final SelectReader reader;
    private final Cache<Key, ParseResult> results;

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
                .weigher((Key key, ParseResult result) -> weight(key))
                .executor(Runnable::run)
                .build();
    }

    /** Reads one statement, see {@link SelectReader#read}. */
    public ParseResult read(String sql, SqlDialect dialect) {
        Key key = new Key(sql, dialect);
        ParseResult known = results.getIfPresent(key);
        if (known != null) {
            return known;
        }
        ParseResult result = reader.read(sql, dialect);
        boolean timedOut = result instanceof ParseResult.Refused refused
                && refused.detail().equals(ParserRun.TIMED_OUT);
        if (!timedOut && sql.length() <= SelectReader.MAX_LENGTH) {
            results.put(key, result);
        }
        return result;
    }

    private static int weight(Key key) {
        return BASE_BYTES + BYTES_PER_CHARACTER * key.sql().length();
    }

    /** Returns the approximate size of the results in bytes. */
    long weightedSize() {
        results.cleanUp();
        return results.policy().eviction().orElseThrow().weightedSize().orElse(0);
    }
}
