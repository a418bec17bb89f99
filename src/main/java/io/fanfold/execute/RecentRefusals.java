package io.fanfold.execute;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fanfold.config.HeapShares;
import io.fanfold.reason.Reason;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Remembers recent refusals, so that a repeated statement costs microseconds. Refusals for every session are remembered
 * by the text alone. Those that depend on the data are remembered for a few seconds, by the session's schema and by the
 * text or its digest. Passing through is always correct, so a stale entry only delays a gain. Safe for all threads.
 */
final class RecentRefusals {
    private static final long MAX_BYTES = HeapShares.ofThisProcess().cache();
    private static final Duration TEXT_LIFE = Duration.ofMinutes(5);
    private static final Duration DATA_LIFE = Duration.ofSeconds(10);

    /**
     * A refusal of a text.
     *
     * @param shown the text without its literals, for statistics
     */
    record RefusedText(Reason reason, String shown) {
        private int bytes() {
            return 64 + shown.length();
        }
    }

    private final Cache<ByteBuffer, RefusedText> byText = Caffeine.newBuilder()
            .maximumWeight(MAX_BYTES)
            .weigher((ByteBuffer text, RefusedText refused) -> refused.bytes() + text.capacity())
            .expireAfterWrite(TEXT_LIFE)
            .build();

    /** A text in a schema. */
    private record Located(String schema, ByteBuffer text) {}

    private final Cache<Located, RefusedText> byTextForNow = Caffeine.newBuilder()
            .maximumWeight(MAX_BYTES)
            .weigher((Located text, RefusedText refused) -> 64
                    + refused.bytes()
                    + 2 * text.schema().length()
                    + text.text().capacity())
            .expireAfterWrite(DATA_LIFE)
            .build();

    private final Cache<String, Reason> byDigest = Caffeine.newBuilder()
            .maximumWeight(MAX_BYTES)
            .weigher((String digest, Reason reason) -> 64 + 2 * digest.length())
            .expireAfterWrite(DATA_LIFE)
            .build();

    /** @param schema the session's schema, empty if there is none; null if it is not known */
    Optional<RefusedText> byText(byte[] bytes, int offset, int length, @Nullable String schema) {
        ByteBuffer text = ByteBuffer.wrap(bytes, offset, length);
        RefusedText always = byText.getIfPresent(text);
        return Optional.ofNullable(
                always != null || schema == null ? always : byTextForNow.getIfPresent(new Located(schema, text)));
    }

    Optional<Reason> byDigest(String digest) {
        return Optional.ofNullable(byDigest.getIfPresent(digest));
    }

    /** Remembers a refusal that holds in every session and for any data. */
    void rememberText(byte[] sql, RefusedText refused) {
        byText.put(ByteBuffer.wrap(Arrays.copyOf(sql, sql.length)), refused);
    }

    /** Remembers a refusal that depends on the data, for a few seconds. */
    void rememberForNow(byte[] sql, String schema, String digest, RefusedText refused) {
        rememberTextForNow(sql, schema, refused);
        byDigest.put(digest, refused.reason());
    }

    /** Remembers a refusal by the digest only, for a statement whose text does not determine it. */
    void rememberForNow(String digest, Reason reason) {
        byDigest.put(digest, reason);
    }

    /** Remembers a refusal of that text only, for a few seconds. */
    void rememberTextForNow(byte[] sql, String schema, RefusedText refused) {
        byTextForNow.put(new Located(schema, ByteBuffer.wrap(Arrays.copyOf(sql, sql.length))), refused);
    }

    /** Forgets everything, because the tables have changed. */
    void clear() {
        byText.invalidateAll();
        byTextForNow.invalidateAll();
        byDigest.invalidateAll();
    }
}
