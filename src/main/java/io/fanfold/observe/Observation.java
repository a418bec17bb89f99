package io.fanfold.observe;

import io.fanfold.inspect.Finding;
import io.fanfold.observe.StatementGroups.Load;
import io.fanfold.reason.Reason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a proxy would do with a load. Immutable.
 *
 * @param source where the load was read, in words
 * @param server its product, version and address
 * @param load the load
 * @param verdicts one for each group, in the order of their time
 * @param advice what could be changed, the most time first
 * @param findings what the server, the worker account or the settings lack
 */
public record Observation(
        String source, String server, Load load, List<Verdict> verdicts, List<Advice> advice, List<Finding> findings) {

    public Observation {
        verdicts = List.copyOf(verdicts);
        advice = List.copyOf(advice);
        findings = List.copyOf(findings);
    }

    /**
     * The statements with one reason.
     *
     * @param label the name of the reason, or the server's error
     * @param sentence what it means
     * @param groups their number
     * @param executions their number
     * @param nanos their time
     */
    record ReasonShare(String label, String sentence, int groups, long executions, long nanos) {
        ReasonShare plus(ReasonShare other) {
            return new ReasonShare(
                    label, sentence, groups + other.groups, executions + other.executions, nanos + other.nanos);
        }
    }

    /** The time of the statements that would be split. */
    long splitNanos() {
        return verdicts.stream()
                .filter(Verdict::split)
                .mapToLong(verdict -> verdict.group().nanos())
                .sum();
    }

    /** The executions of the statements that would be split. */
    long splitExecutions() {
        return verdicts.stream()
                .filter(Verdict::split)
                .mapToLong(verdict -> verdict.group().executions())
                .sum();
    }

    /** The time that the model expects to be saved. */
    long savedNanos() {
        return verdicts.stream()
                .mapToLong(verdict -> verdict.group().nanos() - verdict.expectedNanos())
                .sum();
    }

    /** Everything that would not be split, by reason, the most time first. With {@link #splitNanos} it is the load. */
    List<ReasonShare> reasons() {
        Map<String, ReasonShare> shares = new LinkedHashMap<>();
        for (Verdict verdict : verdicts) {
            if (!verdict.split()) {
                StatementGroup group = verdict.group();
                shares.merge(
                        verdict.label(),
                        new ReasonShare(verdict.label(), verdict.sentence(), 1, group.executions(), group.nanos()),
                        ReasonShare::plus);
            }
        }
        List<ReasonShare> reasons = new ArrayList<>(shares.values());
        add(
                reasons,
                Reason.NOT_A_SELECT.label(),
                Reason.NOT_A_SELECT.sentence(),
                load.executions() - load.selectExecutions(),
                load.nanos() - load.selectNanos());
        add(
                reasons,
                "not_explained",
                "SELECTs with less time than the groups above; --groups sets how many are explained",
                load.droppedExecutions(),
                load.droppedNanos());
        reasons.sort(Comparator.comparingLong(ReasonShare::nanos).reversed());
        return reasons;
    }

    private static void add(List<ReasonShare> reasons, String label, String sentence, long executions, long nanos) {
        if (executions > 0) {
            reasons.add(new ReasonShare(label, sentence, 0, executions, nanos));
        }
    }

    /** The share of a time in the load, in percent. */
    double percent(long nanos) {
        return load.nanos() == 0 ? 0 : 100.0 * nanos / load.nanos();
    }
}
