package io.fanfold.session.command;

import java.util.OptionalLong;

/** Recognises KILL statements. Called on event loops: returns at once and does not throw. */
@FunctionalInterface
public interface KillRecognizer {
    /** Recognises nothing. */
    KillRecognizer NONE = (sql, offset, length) -> OptionalLong.empty();

    /**
     * @param sql contains a statement of {@code length} bytes at {@code offset}; borrowed
     * @return the thread named by KILL, KILL QUERY or KILL CONNECTION with a number; empty for everything else
     */
    OptionalLong killedThread(byte[] sql, int offset, int length);
}
