package io.fanfold.session;

import java.util.OptionalLong;

/** Recognises KILL statements. Called on event loops: returns at once and does not throw. */
@FunctionalInterface
public interface KillRecognizer {
    /** Recognises nothing. */
    KillRecognizer NONE = (sql, offset, length) -> OptionalLong.empty();

    /**
     * @param sql holds a statement from {@code offset} on, {@code length} bytes; borrowed
     * @return the thread named by KILL, KILL QUERY or KILL CONNECTION with a number; empty for everything else
     */
    OptionalLong killedThread(byte[] sql, int offset, int length);
}
