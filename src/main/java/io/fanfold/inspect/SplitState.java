package io.fanfold.inspect;

import io.fanfold.inspect.Finding.Severity;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Decides what of the findings is told, and when. Everything is told once. What stands in the way of every split is told again with
 * growing pauses until it is gone, which is told once as well. For one thread at a time.
 */
final class SplitState {
    static final Duration FIRST_PAUSE = Duration.ofMinutes(1);
    static final Duration LONGEST_PAUSE = Duration.ofHours(1);

    /** Where lines go to. */
    interface Voice {
        void info(String line);

        void warn(String line);
    }

    /**
     * An obstacle that was told.
     *
     * @param dueNanos when it is told again if it is still there
     * @param pause how long the pause after that is
     */
    private record Told(long dueNanos, Duration pause) {}

    private final LongSupplier nanoTime;
    private final Voice voice;
    private final Set<Finding> known = new HashSet<>();
    private final Map<Finding, Told> obstacles = new HashMap<>();

    /** Whether the user was told of an obstacle, and not that it is gone. */
    private boolean warned;

    SplitState(LongSupplier nanoTime, Voice voice) {
        this.nanoTime = nanoTime;
        this.voice = voice;
    }

    /** Takes the findings of a new look. */
    void look(Inspection now) {
        if (now.splits() && warned) {
            warned = false;
            voice.info("statements are split again");
        }
        if (now.splits()) {
            known.retainAll(now.findings());
        }
        for (Finding finding : now.findings()) {
            if (finding.severity() == Severity.INFO && known.add(finding)) {
                voice.info(finding.sentence());
            } else if (finding.severity() == Severity.ADVICE && known.add(finding)) {
                voice.warn(line(finding));
            }
        }
        List<Finding> blocking = now.of(Severity.BLOCKS);
        blocking.forEach(this::obstacle);
        forget(new HashSet<>(blocking));
    }

    private void obstacle(Finding finding) {
        long time = nanoTime.getAsLong();
        Told before = obstacles.get(finding);
        if (before == null || time - before.dueNanos() >= 0) {
            Duration pause = before == null ? FIRST_PAUSE : before.pause();
            voice.warn("no statement is split: " + line(finding));
            warned = true;
            Duration doubled = pause.multipliedBy(2);
            Duration next = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
            obstacles.put(finding, new Told(time + pause.toNanos(), next));
        }
    }

    /** One that comes and goes keeps its pause, so that it does not fill the log. */
    private void forget(Set<Finding> blocking) {
        long time = nanoTime.getAsLong();
        Set<Finding> over = obstacles.entrySet().stream()
                .filter(entry -> !blocking.contains(entry.getKey())
                        && time - entry.getValue().dueNanos() >= 0)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        obstacles.keySet().removeAll(over);
    }

    /** A finding with what to do. */
    static String line(Finding finding) {
        return finding.remedies().isEmpty()
                ? finding.sentence()
                : finding.sentence() + ". To change that: " + finding.remedy();
    }
}
