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
 * The character sets in which statements are read: those in which no character has a quote, a backslash or a backtick
 * as a later byte. Without state.
 */
public final class SessionCharset {
    /** The server's latin1 is this one; the five bytes it leaves undefined do not decode. */
    private static final Charset CP1252 = Charset.forName("windows-1252");

    private SessionCharset() {}

    /**
     * The Java character set of one of the server's.
     *
     * @param name the value of {@code character_set_client}, e.g. {@code utf8mb4}
     * @return empty for a character set in which statements are not read
     */
    public static Optional<Charset> javaCharset(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "utf8mb4", "utf8mb3", "utf8" -> Optional.of(StandardCharsets.UTF_8);
            case "latin1" -> Optional.of(CP1252);
            case "ascii" -> Optional.of(StandardCharsets.US_ASCII);
            default -> Optional.empty();
        };
    }

    /** All of {@link #decode(byte[], int, int, Charset)} for a whole array. */
    public static Optional<String> decode(byte[] bytes, Charset charset) {
        return decode(bytes, 0, bytes.length, charset);
    }

    /**
     * Decodes a text without loss.
     *
     * @return the text; empty when some bytes are no characters of the set, or the text encoded again is not the same bytes
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
