package io.fanfold.reuse;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * What the rows of a partition query depend on, except for the data: the query's exact bytes, the server, the session
 * settings of the worker and the definitions of the tables, as a SHA-256 hash. Nobody can find two that are equal
 * (FIPS 180-4), so equal keys have equal texts.
 */
public record ResultKey(String hash) {
    /** Returns the key of these texts, in this order. */
    public static ResultKey of(List<byte[]> texts) {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
        for (byte[] text : texts) {
            // the length keeps the end of one text from being read as the start of the next
            for (int i = 0; i < Integer.BYTES; i++) {
                digest.update((byte) (text.length >>> 8 * i));
            }
            digest.update(text);
        }
        return new ResultKey(HexFormat.of().formatHex(digest.digest()));
    }
}
