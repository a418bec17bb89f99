package io.fanfold.cli;

import io.fanfold.inspect.Finding;

/** A finding as lines of text. */
final class FindingText {
    private FindingText() {}

    /** Returns its sentence, and a line for each remedy; without the last line feed. */
    static String of(Finding finding) {
        StringBuilder text = new StringBuilder(mark(finding.severity())).append(finding.sentence());
        finding.remedies()
                .forEach(remedy -> text.append(System.lineSeparator())
                        .append("        to change that: ")
                        .append(remedy));
        return text.toString();
    }

    private static String mark(Finding.Severity severity) {
        return switch (severity) {
            case DETAIL, INFO -> "ok      ";
            case ADVICE -> "advice  ";
            case BLOCKS -> "BLOCKED ";
        };
    }
}
