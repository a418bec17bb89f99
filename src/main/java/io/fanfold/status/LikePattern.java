package io.fanfold.status;

import java.util.Locale;

/**
 * A pattern of LIKE: {@code %} matches any characters, {@code _} matches one, and a backslash takes their meaning away.
 * Upper and lower case are equal, as in SHOW STATUS. Matching takes time in proportion to the product of both lengths at
 * most. Immutable.
 */
public record LikePattern(String text) {
    /** Whether the whole of a text matches. */
    public boolean matches(String value) {
        String pattern = text.toLowerCase(Locale.ROOT);
        String name = value.toLowerCase(Locale.ROOT);
        int at = 0;
        int i = 0;
        int resumeAt = -1;
        int resume = 0;
        while (i < name.length()) {
            char wanted = at < pattern.length() ? pattern.charAt(at) : 0;
            boolean escaped = wanted == '\\' && at + 1 < pattern.length();
            if (wanted == '%') {
                resumeAt = ++at;
                resume = i;
            } else if (at < pattern.length()
                    && (escaped
                            ? pattern.charAt(at + 1) == name.charAt(i)
                            : wanted == '_' || wanted == name.charAt(i))) {
                at += escaped ? 2 : 1;
                i++;
            } else if (resumeAt >= 0) {
                at = resumeAt;
                i = ++resume;
            } else {
                return false;
            }
        }
        while (at < pattern.length() && pattern.charAt(at) == '%') {
            at++;
        }
        return at == pattern.length();
    }
}
