package io.fanfold.sql;

import java.util.Optional;

/**
 * A statement for Fanfold itself, which no server knows: {@code EXPLAIN FORMAT=FANFOLD SELECT …}. Works for every
 * character set in which the bytes below 0x80 are ASCII. Immutable.
 *
 * @param explained the index of the first byte of the statement that is explained, after blanks
 */
public record ProxyStatement(int explained) {
    /**
     * Recognizes a statement by its first words, in any case, with blanks and comments between them.
     *
     * @param bytes contains the statement's text as the client sent it
     * @param offset the start of the text
     * @param length the number of bytes of the text
     */
    public static Optional<ProxyStatement> of(byte[] bytes, int offset, int length) {
        int end = offset + length;
        int at = LeadingBlanks.skip(bytes, offset, end);
        for (String word : new String[] {"explain", "format"}) {
            if (!LeadingBlanks.word(bytes, at, end, word)) {
                return Optional.empty();
            }
            at = LeadingBlanks.skip(bytes, at + word.length(), end);
        }
        if (at == end || bytes[at] != '=') {
            return Optional.empty();
        }
        at = LeadingBlanks.skip(bytes, at + 1, end);
        String format = "fanfold";
        return LeadingBlanks.word(bytes, at, end, format)
                ? Optional.of(new ProxyStatement(LeadingBlanks.skip(bytes, at + format.length(), end)))
                : Optional.empty();
    }
}
