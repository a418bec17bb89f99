package io.fanfold.sql;

import io.fanfold.metrics.Reason;

/** What reading a statement came to. */
public sealed interface ParseResult {
    /** The statement was read faithfully. */
    record Parsed(StatementModel statement) implements ParseResult {}

    /**
     * The statement is not split.
     *
     * @param reason why
     * @param detail what was found where, for the log at DEBUG; may hold text of the statement
     */
    record Refused(Reason reason, String detail) implements ParseResult {}
}
