package io.fanfold.execute;

/**
 * A transaction that has done nothing yet, as the next SELECT of a session finds it. Nothing is lost where it is begun once more.
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

    /** The statement after which the session is as it was found, without the locks and the read view taken since. */
    String restart() {
        return restart;
    }

    /** As what the server counts {@link #restart}, see {@link CommandCounts}. */
    String counted() {
        return counted;
    }

    /** The statement that opens the transaction with its read view. */
    String withReadView() {
        return "START TRANSACTION WITH CONSISTENT SNAPSHOT" + mode;
    }
}
