package io.fanfold.sql;

/** Finds the start of a statement's text in its bytes, after blanks and comments. Stateless. */
final class LeadingBlanks {
    private LeadingBlanks() {}

    /**
     * Returns the index of the first byte that is neither blank nor comment, {@code end} if there is none. Stops at a
     * version comment, whose content is for the server, and at an unterminated comment.
     */
    static int skip(byte[] bytes, int offset, int end) {
        int at = offset;
        while (at < end) {
            byte b = bytes[at];
            if (b == ' ' || b >= '\t' && b <= '\r') {
                at++;
            } else if (b == '#' || b == '-' && dashes(bytes, at, end)) {
                while (at < end && bytes[at] != '\n') {
                    at++;
                }
            } else if (b == '/' && at + 1 < end && bytes[at + 1] == '*') {
                int after = comment(bytes, at, end);
                if (after < 0) {
                    return at;
                }
                at = after;
            } else {
                return at;
            }
        }
        return end;
    }

    private static boolean dashes(byte[] bytes, int at, int end) {
        return at + 1 < end && bytes[at + 1] == '-' && (at + 2 >= end || bytes[at + 2] >= 0 && bytes[at + 2] <= ' ');
    }

    private static int comment(byte[] bytes, int at, int end) {
        if (at + 2 < end && (bytes[at + 2] == '!' || bytes[at + 2] == 'M' && at + 3 < end && bytes[at + 3] == '!')) {
            return -1;
        }
        for (int i = at + 2; i + 1 < end; i++) {
            if (bytes[i] == '*' && bytes[i + 1] == '/') {
                return i + 2;
            }
        }
        return -1;
    }

    /** Whether the word, given in lower case, is at an index, in any case, and ends there. */
    static boolean word(byte[] bytes, int at, int end, String word) {
        if (end - at < word.length()) {
            return false;
        }
        for (int i = 0; i < word.length(); i++) {
            byte b = bytes[at + i];
            if ((b >= 'A' && b <= 'Z' ? b | 0x20 : b) != word.charAt(i)) {
                return false;
            }
        }
        return at + word.length() == end || !inWord(bytes[at + word.length()]);
    }

    private static boolean inWord(byte b) {
        return b < 0 || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_' || b == '$';
    }
}
