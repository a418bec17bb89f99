package io.fanfold.fuzz;

import io.fanfold.metrics.FanOutReport;
import java.util.Map;
import java.util.TreeMap;

/** The result of a run. Not thread-safe. */
public final class FuzzSummary {
    private final Map<String, Integer> reasons = new TreeMap<>();
    private final Runs runs = new Runs();
    private final Runs starRuns = new Runs();
    private int statements;
    private int errors;
    private int differences;
    private int unstable;
    private int ownAnswers;

    /** Statements through a proxy, counted once for each proxy. */
    private static final class Runs {
        private int all;
        private int fannedOut;
        private int filtered;

        void add(FanOutReport report) {
            all++;
            fannedOut += report.fannedOut() ? 1 : 0;
            filtered += report.filters() > 0 ? 1 : 0;
        }

        int fannedOutPercent() {
            return percent(fannedOut, all);
        }

        int filteredPercent() {
            return percent(filtered, fannedOut);
        }

        private static int percent(int part, int all) {
            return all == 0 ? 0 : part * 100 / all;
        }

        String text(String name) {
            return "\n" + fannedOut + " of " + all + " " + name + " fanned out (" + fannedOutPercent() + " %), "
                    + filtered + " of them with dynamic filters (" + filteredPercent() + " %)";
        }
    }

    void statement(boolean error) {
        statements++;
        errors += error ? 1 : 0;
    }

    void run(FanOutReport report, boolean starJoin) {
        runs.add(report);
        if (starJoin) {
            starRuns.add(report);
        }
        if (!report.fannedOut()) {
            reasons.merge(report.reason(), 1, Integer::sum);
        }
    }

    void difference() {
        differences++;
    }

    void unstable() {
        unstable++;
    }

    /**
     * Counts a statement that was passed through and got another answer than directly. The server itself gave both
     * answers.
     */
    void ownAnswer() {
        ownAnswers++;
    }

    /** The number of statements with another answer through a proxy that had split them. */
    public int differences() {
        return differences;
    }

    public int statements() {
        return statements;
    }

    /** The percentage of runs through a proxy that were fanned out. */
    public int fannedOutPercent() {
        return runs.fannedOutPercent();
    }

    /** The percentage of star joins run through a proxy that were fanned out. */
    public int starsFannedOutPercent() {
        return starRuns.fannedOutPercent();
    }

    /** The percentage of star joins fanned out that had dynamic filters. */
    public int starsFilteredPercent() {
        return starRuns.filteredPercent();
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
        text.append(runs.text("runs through a proxy"));
        if (starRuns.all > 0) {
            text.append(starRuns.text("runs of star joins"));
        }
        reasons.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .forEach(reason -> text.append("\n  " + reason.getValue() + " " + reason.getKey()));
        return text.append('\n').toString();
    }
}
