package io.fanfold.metrics;

/**
 * What happened to the last statement that the proxy considered for splitting.
 *
 * @param fannedOut whether it was answered by a fan-out
 * @param reason why it was passed through; "" if it was not
 * @param partitions the number of partition queries; 0 if passed through
 * @param degree the number of worker connections used at the same time; 0 if passed through
 * @param snapshot {@code verified}, {@code locked} or {@code relaxed}; "" if passed through
 * @param filters the number of dynamic filters in the partition queries; 0 if passed through
 */
public record FanOutReport(boolean fannedOut, String reason, int partitions, int degree, String snapshot, int filters) {
    /** The report before any statement was considered. */
    public static final FanOutReport NONE = new FanOutReport(false, "not considered", 0, 0, "", 0);

    /** Returns the report for a statement answered by a fan-out. */
    public static FanOutReport split(int partitions, int degree, String snapshot, int filters) {
        return new FanOutReport(true, "", partitions, degree, snapshot, filters);
    }

    /** Returns the report for a statement passed through. */
    public static FanOutReport passed(String reason) {
        return new FanOutReport(false, reason, 0, 0, "", 0);
    }
}
