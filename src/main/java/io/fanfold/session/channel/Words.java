package io.fanfold.session.channel;

import java.util.List;

/** Searches a text for several words at once, without regard to case. Immutable. */
public final class Words {
    private final List<String> words;

    /** The first characters of the words. Most characters of a text are not among them, which makes the search fast. */
    private final boolean[] first = new boolean[128];

    public Words(List<String> words) {
        this.words = words;
        words.forEach(word -> first[word.charAt(0)] = true);
    }

    public boolean in(byte[] sql, int offset, int length) {
        int end = offset + length;
        for (int start = offset; start < end; start++) {
            int letter = lower(sql[start]);
            if (letter >= 0 && first[letter] && at(sql, start, end)) {
                return true;
            }
        }
        return false;
    }

    private boolean at(byte[] sql, int start, int end) {
        for (String word : words) {
            if (startsWith(sql, start, end, word)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the word starts at that index, without regard to case. */
    public static boolean startsWith(byte[] sql, int start, int end, String word) {
        if (end - start < word.length()) {
            return false;
        }
        int matched = 0;
        while (matched < word.length() && lower(sql[start + matched]) == word.charAt(matched)) {
            matched++;
        }
        return matched == word.length();
    }

    private static int lower(byte letter) {
        return letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter;
    }
}
