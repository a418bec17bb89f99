package io.fanfold.wire;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * Identifies column definitions without keeping them. Immutable.
 *
 * @param digest in hexadecimal
 */
public record DefinitionsDigest(String digest) {

    /** @param definitions the payloads of the definitions, in order */
    public static DefinitionsDigest of(List<byte[]> definitions) {
        MessageDigest sha;
        try {
            sha = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
        for (byte[] definition : definitions) {
            sha.update(new PayloadWriter().int4(definition.length).toBytes());
            sha.update(definition);
        }
        return new DefinitionsDigest(HexFormat.of().formatHex(sha.digest()));
    }
}
