package io.fanfold.sql;

import java.nio.charset.StandardCharsets;

/** Takes words from the start of a statement's bytes, with blanks and comments between them. For one thread. */
final class FirstWords {
    private final byte[] bytes;
    private final int end;
    private int at;

    FirstWords(byte[] bytes, int offset, int end) {
        this.bytes = bytes;
        this.end = end;
        this.at = LeadingBlanks.skip(bytes, offset, end);
    }

    /** Takes a word, given in lower case, if it comes next in any case. Returns whether it does. */
    boolean take(String word) {
        boolean there = LeadingBlanks.word(bytes, at, end, word);
        if (there) {
            at = LeadingBlanks.skip(bytes, at + word.length(), end);
        }
        return there;
    }

    /** Takes an equals sign if it comes next. Returns whether it does. */
    boolean takeEqualsSign() {
        boolean there = at < end && bytes[at] == '=';
        if (there) {
            at = LeadingBlanks.skip(bytes, at + 1, end);
        }
        return there;
    }

    /** The index of the first byte that was not taken. */
    int at() {
        return at;
    }

    /** The text that was not taken, read as UTF-8, without blanks around it. */
    String rest() {
        return new String(bytes, at, end - at, StandardCharsets.UTF_8).strip();
    }
}
