package io.fanfold.sql;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code SET FANFOLD name = value} asks for. The name may stand in back quotes, the value in quotation marks.
 *
 * @param name the variable as written, such as {@code fan-out.mode}
 * @param value the value in the notation of the settings file; empty for DEFAULT
 */
public record SetFanfold(String name, Optional<String> value) {
    /** Each part ends at a character that the next one cannot take, so no text is read twice. */
    private static final Pattern ASSIGNMENT = Pattern.compile("\\A(?:`([^`]++)`|([\\w.-]++))\\s*+:?+=\\s*+"
            + "(?:'([^'\\\\]*+)'|\"([^\"\\\\]*+)\"|([^\\s;,'\"`]++))\\s*+;?+");

    /** A value that is a keyword, such as ON. SQL does not distinguish upper and lower case in it. */
    private static final Pattern KEYWORD = Pattern.compile("[A-Za-z_]++");

    /** The text is not of that form. The message says what was expected. */
    public static final class SyntaxException extends Exception {
        private static final long serialVersionUID = 1;

        SyntaxException(String near) {
            super("You have an error in your SQL syntax; expected SET FANFOLD variable = value, near '" + near + "'");
        }
    }

    /**
     * Reads the text after {@code SET FANFOLD}.
     *
     * @throws SyntaxException if it is not of that form
     */
    public static SetFanfold parse(String rest) throws SyntaxException {
        Matcher parts = ASSIGNMENT.matcher(rest);
        if (!parts.matches()) {
            throw new SyntaxException(rest);
        }
        String name = parts.group(1) == null ? parts.group(2) : parts.group(1);
        String word = parts.group(5);
        if (word == null) {
            return new SetFanfold(name, Optional.of(parts.group(3) == null ? parts.group(4) : parts.group(3)));
        }
        String value = KEYWORD.matcher(word).matches() ? word.toLowerCase(Locale.ROOT) : word;
        return new SetFanfold(name, value.equals("default") ? Optional.empty() : Optional.of(value));
    }
}
