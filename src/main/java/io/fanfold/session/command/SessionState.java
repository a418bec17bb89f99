package io.fanfold.session.command;

import io.fanfold.session.channel.SessionSchema;
import io.fanfold.session.prepared.PreparedStatements;
import io.fanfold.wire.Conversation;
import io.fanfold.wire.ServerStatus;

/**
 * What is known of a session from its commands and their responses. {@link RelayedCommands} keeps it up to date. Event
 * loop only.
 *
 * @param capabilities the negotiated capabilities
 */
record SessionState(
        long capabilities,
        Conversation conversation,
        SessionSchema schema,
        DiagnosticsArea last,
        PreparedStatements prepared,
        SessionTracker tracking,
        TransactionWatch transactions) {
    /** Whether autocommit is on, by the server's last status flags. */
    boolean autocommit() {
        return (conversation.status() & ServerStatus.AUTOCOMMIT) != 0;
    }
}
