package io.fanfold.sql;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/**
 * A {@link SelectReader} that remembers what it has read, by text and dialect, within a bound of bytes. Safe for use by
 * several threads; two threads that read the same new text at once may both do the work.
 */
public final class CachingSelectReader {
    /** What a result of no length takes, and how much each character of the text adds, roughly. */
    private static final int BASE_BYTES = 512;

    private static final int BYTES_PER_CHARACTER = 16;

    /**
     * What decides a reading.
     *
     * @param sql the text
     * @param dialect the dialect
     */
    private record Key(String sql, SqlDialect dialect) {}

    private final SelectReader reader;
    private final Cache<Key, ParseResult> results;

    /**
     * A reader with a memory.
     *
     * @param reader does the work
     * @param maxBytes about how much heap the results may take, 0 or more
     */
    public CachingSelectReader(SelectReader reader, long maxBytes) {
        this.reader = reader;
        this.results = Caffeine.newBuilder()
                .maximumWeight(maxBytes)
                .weigher((Key key, ParseResult result) -> weight(key))
                .executor(Runnable::run)
                .build();
    }

    /** As {@link SelectReader#read}. */
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

    /** About how many bytes the results take now. */
    long weightedSize() {
        results.cleanUp();
        return results.policy().eviction().orElseThrow().weightedSize().orElse(0);
    }
}
