package io.fanfold.session.command;

/** What the relay does with the client's next bytes. In every phase except Relaying they wait. Immutable. */
sealed interface CommandPhase {
    /** Commands are sent to the server as they arrive. */
    record Relaying() implements CommandPhase {}

    /**
     * The server must first answer earlier commands.
     *
     * @param mostOwed the number of commands that may then still be unanswered
     */
    record AwaitingReplies(int mostOwed) implements CommandPhase {}

    /** The proxy first sends what the server lacks: queries that restore the diagnostics area, or long data. */
    record Restoring() implements CommandPhase {}

    /** A statement is offered for splitting, see {@link PendingSlot}. */
    record Pending() implements CommandPhase {}

    /** COM_CHANGE_USER is under way: all bytes of both sides belong to it. */
    record ChangingUser(UserChange change) implements CommandPhase {}
}
