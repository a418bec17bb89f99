package io.fanfold.execute;

/**
 * A transaction that has done nothing yet when the next SELECT of its session starts. It can be restarted without
 * losing anything.
 */
public enum FreshTransaction {
    /** Autocommit is off and no transaction is open: the SELECT opens one. */
    IMPLICIT("ROLLBACK AND NO CHAIN NO RELEASE", "rollback", ""),

    /** The last command was BEGIN or START TRANSACTION. */
    BEGUN("START TRANSACTION", "begin", ""),

    /** The last command was START TRANSACTION READ ONLY. */
    READ_ONLY("START TRANSACTION READ ONLY", "begin", ", READ ONLY"),

    /** The last command was START TRANSACTION READ WRITE. */
    READ_WRITE("START TRANSACTION READ WRITE", "begin", ", READ WRITE");

    private final String restart;
    private final String counted;
    private final String mode;

    FreshTransaction(String restart, String counted, String mode) {
        this.restart = restart;
        this.counted = counted;
        this.mode = mode;
    }

    /** The statement that restores the session to this state, without the locks and the read view taken since. */
    String restart() {
        return restart;
    }

    /** The counter that {@link #restart} increments, see {@link CommandCounts}. */
    String counted() {
        return counted;
    }

    /** The statement that opens the transaction with its read view. */
    String withReadView() {
        return "START TRANSACTION WITH CONSISTENT SNAPSHOT" + mode;
    }
}
