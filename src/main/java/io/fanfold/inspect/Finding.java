package io.fanfold.inspect;

import java.util.List;

/**
 * One fact about the server, the worker account or the settings. Immutable.
 *
 * @param severity its effect on splitting
 * @param sentence the fact, which names the thing and its value
 * @param remedies alternatives, each a statement to run on the server or a setting to change; empty if nothing must
 *     change
 */
public record Finding(Severity severity, String sentence, List<String> remedies) {
    /** The effect of a finding on splitting. */
    public enum Severity {
        /** Nothing must change. check-config prints it; the log does not. */
        DETAIL,
        /** Nothing must change. */
        INFO,
        /** Statements are split, but not all that could be, or a setting has another effect than it seems to have. */
        ADVICE,
        /** No statement is split. */
        BLOCKS
    }

    public Finding {
        remedies = List.copyOf(remedies);
    }

    public static Finding info(String sentence) {
        return new Finding(Severity.INFO, sentence, List.of());
    }

    static Finding detail(String sentence) {
        return new Finding(Severity.DETAIL, sentence, List.of());
    }

    static Finding advice(String sentence, String... remedies) {
        return new Finding(Severity.ADVICE, sentence, List.of(remedies));
    }

    static Finding blocks(String sentence, List<String> remedies) {
        return new Finding(Severity.BLOCKS, sentence, remedies);
    }

    /** The remedies in one line; "" if there are none. */
    public String remedy() {
        return String.join(" -- or: ", remedies);
    }
}
