package io.fanfold.inspect;

import java.util.List;

/**
 * One fact about the server, the worker account or the settings. Immutable.
 *
 * @param severity what it means for splitting
 * @param sentence what was found; it names the thing and its value
 * @param remedies alternatives, each a statement to run on the server or a setting to change; empty when nothing has to change
 */
public record Finding(Severity severity, String sentence, List<String> remedies) {
    /** What a finding means for splitting. */
    public enum Severity {
        /** Nothing has to change. check-config shows it; the log does not. */
        DETAIL,
        /** Nothing has to change. */
        INFO,
        /** Statements are split, but not all that could be, or a setting has another effect than it seems to have. */
        ADVICE,
        /** No statement is split. */
        BLOCKS
    }

    public Finding {
        remedies = List.copyOf(remedies);
    }

    static Finding info(String sentence) {
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

    /** The remedies in one line; "" when there are none. */
    public String remedy() {
        return String.join(" -- or: ", remedies);
    }
}
