package io.fanfold.cli.fuzz;

import java.util.Map;
import java.util.TreeMap;

/** What came of a run. For one thread. */
public final class FuzzSummary {
    private final Map<String, Integer> reasons = new TreeMap<>();
    private int statements;
    private int errors;
    private int runs;
    private int fannedOut;
    private int starRuns;
    private int starsFannedOut;
    private int differences;
    private int unstable;
    private int ownAnswers;

    void statement(boolean error) {
        statements++;
        errors += error ? 1 : 0;
    }

    void fannedOut(boolean starJoin) {
        runs++;
        fannedOut++;
        starRuns += starJoin ? 1 : 0;
        starsFannedOut += starJoin ? 1 : 0;
    }

    void passed(String reason, boolean starJoin) {
        runs++;
        starRuns += starJoin ? 1 : 0;
        reasons.merge(reason, 1, Integer::sum);
    }

    void difference() {
        differences++;
    }

    void unstable() {
        unstable++;
    }

    /** A statement that was passed through got another answer than direct: the server gave it. */
    void ownAnswer() {
        ownAnswers++;
    }

    /** How many statements gave another answer through a proxy that had split them. */
    public int differences() {
        return differences;
    }

    public int statements() {
        return statements;
    }

    /** How many of a hundred runs through a proxy were fanned out. */
    public int fannedOutPercent() {
        return runs == 0 ? 0 : fannedOut * 100 / runs;
    }

    /** How many of a hundred runs of star joins through a proxy were fanned out. */
    public int starsFannedOutPercent() {
        return starRuns == 0 ? 0 : starsFannedOut * 100 / starRuns;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append(statements + " statements, " + errors + " of them errors; " + differences + " differences");
        if (unstable > 0) {
            text.append("; " + unstable + " with another answer each time they were run direct");
        }
        if (ownAnswers > 0) {
            text.append("; " + ownAnswers + " passed through with another answer of the server's");
        }
        text.append(
                "\n" + fannedOut + " of " + runs + " runs through a proxy fanned out (" + fannedOutPercent() + " %)");
        if (starRuns > 0) {
            text.append("\n" + starsFannedOut + " of " + starRuns + " runs of star joins fanned out ("
                    + starsFannedOutPercent() + " %)");
        }
        reasons.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .forEach(reason -> text.append("\n  " + reason.getValue() + " " + reason.getKey()));
        return text.append('\n').toString();
    }
}
