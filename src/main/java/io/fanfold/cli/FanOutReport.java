package io.fanfold.cli;

/**
 * What happened to the last statement that the proxy considered for splitting.
 *
 * @param fannedOut whether it was answered by a fan-out
 * @param reason why it was passed through, "" when it was not
 * @param partitions how many partition queries ran, 0 when passed through
 * @param degree how many worker connections were used at once, 0 when passed through
 * @param snapshot {@code verified}, {@code locked} or {@code relaxed}, "" when passed through
 * @param filters how many dynamic filters the partition queries had, 0 when passed through
 */
public record FanOutReport(boolean fannedOut, String reason, int partitions, int degree, String snapshot, int filters) {
    /** Before any statement was considered. */
    public static final FanOutReport NONE = new FanOutReport(false, "not considered", 0, 0, "", 0);

    /** Of a statement answered by a fan-out. */
    public static FanOutReport split(int partitions, int degree, String snapshot, int filters) {
        return new FanOutReport(true, "", partitions, degree, snapshot, filters);
    }

    /** Of a statement passed through. */
    public static FanOutReport passed(String reason) {
        return new FanOutReport(false, reason, 0, 0, "", 0);
    }
}
