package io.fanfold.observe;

import java.util.Optional;

/**
 * What a proxy would do with the statements of a group. Immutable.
 *
 * @param group the statements
 * @param decision the kind of verdict
 * @param label the reason's name, or the server's error; "" if they would be split
 * @param sentence what the label means; "" if they would be split
 * @param explanation empty if the sample could not be explained
 * @param expectedNanos how long all executions together would take
 */
record Verdict(
        StatementGroup group,
        Decision decision,
        String label,
        String sentence,
        Optional<Explanation> explanation,
        long expectedNanos) {
    /** The kinds of verdicts. */
    enum Decision {
        SPLIT,
        PASSED_THROUGH,
        /** The sample could not be explained. */
        NOT_EXPLAINED
    }

    boolean split() {
        return decision == Decision.SPLIT;
    }

    /** What was found where, for the reason; "" if nothing is known. */
    String found() {
        return explanation.map(Explanation::found).orElse("");
    }

    /** The number of workers and partition queries, or the label. */
    String shortText() {
        if (!split()) {
            return label;
        }
        int workers = explanation.map(Explanation::workers).orElse(0);
        return "split, " + workers + (workers == 1 ? " worker" : " workers");
    }
}
