package io.fanfold.sql;

import io.fanfold.metrics.Reason;

/** The result of reading a statement. */
public sealed interface ParseResult {
    /** The text was read reliably. */
    record Parsed(StatementModel statement) implements ParseResult {}

    /**
     * The statement is not split.
     *
     * @param reason why
     * @param detail what was found where, for the log at DEBUG; may contain text of the statement
     */
    record Refused(Reason reason, String detail) implements ParseResult {}
}
