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
 * Decides which findings are logged, and when. Every finding is logged once. A finding that blocks every split is
 * repeated with growing pauses until it is gone, and its end is logged once. Not thread-safe.
 */
final class SplitState {
    static final Duration FIRST_PAUSE = Duration.ofMinutes(1);
    static final Duration LONGEST_PAUSE = Duration.ofHours(1);

    /** Receives the log lines. */
    interface Voice {
        void info(String line);

        void warn(String line);
    }

    /**
     * An obstacle that was logged.
     *
     * @param dueNanos when it is logged again if it is still there
     * @param pause the pause after that
     */
    private record Told(long dueNanos, Duration pause) {}

    private final LongSupplier nanoTime;
    private final Voice voice;
    private final Set<Finding> known = new HashSet<>();
    private final Map<Finding, Told> obstacles = new HashMap<>();

    /** Whether an obstacle was logged and its end was not. */
    private boolean warned;

    SplitState(LongSupplier nanoTime, Voice voice) {
        this.nanoTime = nanoTime;
        this.voice = voice;
    }

    /** Takes the findings of a new inspection. */
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

    /**
     * Forgets obstacles that are gone. One that appears again before it is due keeps its pause, so that it does not
     * fill the log.
     */
    private void forget(Set<Finding> blocking) {
        long time = nanoTime.getAsLong();
        Set<Finding> over = obstacles.entrySet().stream()
                .filter(entry -> !blocking.contains(entry.getKey())
                        && time - entry.getValue().dueNanos() >= 0)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        obstacles.keySet().removeAll(over);
    }

    /** A finding with its remedies, as one line. */
    static String line(Finding finding) {
        return finding.remedies().isEmpty()
                ? finding.sentence()
                : finding.sentence() + ". To change that: " + finding.remedy();
    }
}
