package io.fanfold.bench;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A model of a fan-out with more cores than the measuring machine has. It is no measurement: it assumes that workers do
 * not slow each other down, and that there are at least as many equal partitions as cores.
 *
 * <pre>time(cores) = fixed + work / cores + rows × merge</pre>
 *
 * @param directMillis the time of the statement on the server
 * @param fixedMillis the time of the steps before the partition queries and after the merge
 * @param workMillis the time of all partition queries of one worker, with the reading of their rows
 * @param rows the rows of the partition queries
 * @param mergeMicros the time that one thread takes after the partition queries, divided by these rows
 */
record ScaleModel(double directMillis, double fixedMillis, double workMillis, long rows, double mergeMicros) {
    private static final Pattern ROWS = Pattern.compile(": (\\d+) rows, ");

    /** A row of {@code ANALYZE FORMAT=FANFOLD}. */
    record Step(String name, String detail) {}

    /**
     * Reads the measured times of a fan-out.
     *
     * @param oneWorker the answer of {@code ANALYZE FORMAT=FANFOLD} for the statement with one worker
     * @throws IllegalArgumentException if the statement was not split
     */
    static ScaleModel of(double directMillis, List<Step> oneWorker) {
        String time = oneWorker.stream()
                .filter(step -> step.name().equals("time"))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("not split: " + oneWorker))
                .detail();
        double work = millis(time, "partitions ");
        double merge = millis(time, "combine ");
        long rows = oneWorker.stream()
                .filter(step -> step.name().equals("partition query"))
                .mapToLong(step -> rows(step.detail()))
                .sum();
        return new ScaleModel(directMillis, millis(time, "") - work - merge, work, rows, merge * 1000 / rows);
    }

    private static double millis(String time, String step) {
        int from = time.indexOf(step) + step.length();
        return Double.parseDouble(time.substring(from, time.indexOf(" ms", from)));
    }

    private static long rows(String query) {
        Matcher rows = ROWS.matcher(query);
        return rows.find() ? Long.parseLong(rows.group(1)) : 0;
    }

    /**
     * Returns the time of the fan-out.
     *
     * @param cores the cores of the server, 1 or more; each runs one worker
     */
    double millis(int cores) {
        return fixedMillis + workMillis / cores + rows * mergeMicros / 1000;
    }

    /** Returns the direct time divided by the time of the fan-out. */
    double timesDirect(int cores) {
        return directMillis / millis(cores);
    }
}
