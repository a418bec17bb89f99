package io.fanfold.metrics;

import io.fanfold.reason.Reason;
import io.fanfold.status.StatusSource;
import io.fanfold.status.StatusTable;
import io.fanfold.status.StatusTable.StatusColumn;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The counters as statuses. Stateless. */
public final class CounterStatus {
    private CounterStatus() {}

    /** Returns the counters by name and value, in the form of the server's SHOW STATUS. */
    public static StatusSource variables(Supplier<Counts> counters) {
        return viewer -> {
            Counts counts = counters.get();
            Map<String, Long> values = new LinkedHashMap<>();
            values.put("clients_connected", counts.clientsNow());
            values.put("clients_total", counts.clientsSeen());
            values.put("request_attempted", counts.attempted());
            values.put("request_executed", counts.fanOuts());
            values.put("request_cancelled", counts.cancelled());
            values.put("request_broken_off", counts.brokenOff());
            values.put("request_not_chosen", counts.passes());
            counts.passedThrough()
                    .forEach((reason, count) -> values.put("request_not_chosen_" + reason.label(), count));
            values.put("partition_queries", counts.partitionQueries());
            values.put("dynamic_filters", counts.filters());
            values.put("first_in_transaction", counts.firstInTransaction());
            values.put("later_in_transaction", counts.laterInTransaction());
            counts.snapshots().forEach((outcome, count) -> values.put("snapshots_" + outcome, count));
            values.put("snapshot_rounds", counts.snapshotRounds());
            values.put("admission_queued", counts.queued());
            values.put("admission_waiting", counts.queuedNow());
            values.put("admission_in_vain", counts.waitedInVain());
            values.put("admission_queue_full", counts.queueFull());
            values.put("admission_revoked", counts.revoked());
            List<List<@Nullable Object>> rows = new ArrayList<>();
            values.forEach((name, value) -> rows.add(List.of("Fanfold_" + name, value)));
            return new StatusTable(List.of(StatusColumn.text("Variable_name"), StatusColumn.integer("Value")), 0, rows);
        };
    }

    /** Returns the reasons that occurred, the most frequent first. */
    public static StatusSource reasons(Supplier<Counts> counters) {
        return viewer -> {
            Map<Reason, Long> counts = counters.get().passedThrough();
            return new StatusTable(
                    List.of(
                            StatusColumn.text("REASON"),
                            StatusColumn.integer("STATEMENTS"),
                            StatusColumn.text("MEANING")),
                    0,
                    counts.entrySet().stream()
                            .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                            .map(entry -> List.<@Nullable Object>of(
                                    entry.getKey().label(),
                                    entry.getValue(),
                                    entry.getKey().sentence()))
                            .toList());
        };
    }
}
