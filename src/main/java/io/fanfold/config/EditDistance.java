package io.fanfold.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/**
 * Computes the edit distance of two names: the number of characters to insert, delete, replace or swap with their
 * neighbour. Stateless.
 */
final class EditDistance {
    private static final char MANY = '*';
    private static final char ONE = '?';

    private EditDistance() {}

    /** Returns the distance of two names. */
    static int between(String one, String other) {
        return between(one, false, other);
    }

    /**
     * Returns the distance of a name from the nearest text that a pattern matches.
     *
     * @param wild whether {@code *} in the pattern matches any characters, and {@code ?} one
     */
    static int between(String pattern, boolean wild, String name) {
        int[] beforeLast = new int[name.length() + 1];
        int[] last = new int[name.length() + 1];
        for (int j = 0; j <= name.length(); j++) {
            last[j] = j;
        }
        for (int i = 1; i <= pattern.length(); i++) {
            char wanted = pattern.charAt(i - 1);
            boolean many = wild && wanted == MANY;
            int[] now = new int[name.length() + 1];
            now[0] = many ? last[0] : last[0] + 1;
            for (int j = 1; j <= name.length(); j++) {
                char found = name.charAt(j - 1);
                if (many) {
                    now[j] = Math.min(last[j], now[j - 1]);
                    continue;
                }
                boolean same = wanted == found || wild && wanted == ONE;
                now[j] = Math.min(last[j - 1] + (same ? 0 : 1), 1 + Math.min(last[j], now[j - 1]));
                boolean swapped = i > 1 && j > 1 && wanted == name.charAt(j - 2) && pattern.charAt(i - 2) == found;
                if (swapped) {
                    now[j] = Math.min(now[j], beforeLast[j - 2] + 1);
                }
            }
            beforeLast = last;
            last = now;
        }
        return last[name.length()];
    }

    /** Returns the name that a mistyped one probably means; empty if none is close enough. */
    static Optional<String> nearest(String mistyped, Collection<String> names) {
        int most = Math.max(1, mistyped.length() / 3);
        return names.stream()
                .filter(name -> between(mistyped, name) <= most)
                .min(Comparator.comparingInt(name -> between(mistyped, name)));
    }
}
