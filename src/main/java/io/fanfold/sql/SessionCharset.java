package io.fanfold.sql;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The character sets in which statements can be read: those in which no character has a quote, a backslash or a
 * backtick as a later byte. Stateless.
 */
public final class SessionCharset {
    /** The server's latin1 is this one; the five bytes that it leaves undefined cannot be decoded. */
    private static final Charset CP1252 = Charset.forName("windows-1252");

    private SessionCharset() {}

    /**
     * Returns the Java character set of a server character set.
     *
     * @param name the value of {@code character_set_client}, e.g. {@code utf8mb4}
     * @return empty for a character set in which statements cannot be read
     */
    public static Optional<Charset> javaCharset(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "utf8mb4", "utf8mb3", "utf8" -> Optional.of(StandardCharsets.UTF_8);
            case "latin1" -> Optional.of(CP1252);
            case "ascii" -> Optional.of(StandardCharsets.US_ASCII);
            default -> Optional.empty();
        };
    }

    /** Decodes a whole array, see {@link #decode(byte[], int, int, Charset)}. */
    public static Optional<String> decode(byte[] bytes, Charset charset) {
        return decode(bytes, 0, bytes.length, charset);
    }

    /**
     * Decodes a text without loss.
     *
     * @return the text; empty if some bytes are not characters of the set, or encoding the text again gives other bytes
     */
    public static Optional<String> decode(byte[] bytes, int offset, int length, Charset charset) {
        String text;
        try {
            text = charset.newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes, offset, length))
                    .toString();
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
        byte[] again = text.getBytes(charset);
        return Arrays.equals(again, 0, again.length, bytes, offset, offset + length)
                ? Optional.of(text)
                : Optional.empty();
    }
}
