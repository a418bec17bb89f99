package io.fanfold.execute;

/**
 * A COM_QUERY whose text may be worth splitting, offered by a session that is idle otherwise. The session has seen from
 * the server's status flags that autocommit is on and no transaction is open.
 *
 * @param sql the statement's bytes as the client sent them
 * @param port what may be done with the session
 * @param arrivalNanos {@link System#nanoTime} when the command was complete
 */
public record StatementOffer(byte[] sql, ClientPort port, long arrivalNanos) {}
