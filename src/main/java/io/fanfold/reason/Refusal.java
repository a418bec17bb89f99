package io.fanfold.reason;

/**
 * Why a statement, or a block of it, is not split. Immutable.
 *
 * @param detail what was found and where. It may contain text of the statement, so it is logged at DEBUG only
 */
public record Refusal(Reason reason, String detail) {}
