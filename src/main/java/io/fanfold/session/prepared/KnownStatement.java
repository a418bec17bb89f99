package io.fanfold.session.prepared;

import io.fanfold.execute.PreparedText;
import java.util.Arrays;

/** A statement that the server has prepared and that may be worth splitting. Event loop only. */
final class KnownStatement {
    private static final byte[] UNKNOWN = {};

    final PreparedText text;
    final int parameters;

    /** The session's epoch when it was sent to be prepared. */
    final long epoch;

    /** The types of the last execution that brought some. */
    byte[] types = UNKNOWN;

    /** The types that the server knows. */
    byte[] sentTypes = UNKNOWN;

    /** The kinds of values that the parameters had so far. */
    final ParameterTypes kinds;

    /** The number of its executions by the server that advanced the session's epoch. */
    long executions;

    /** Whether the server has long data for its next execution. */
    boolean longData;

    /** Whether the server may have an open cursor, whose rows the next execution must drop. */
    boolean cursor;

    /** Whether an execution was split since the server last ran one. */
    boolean split;

    /** Whether no execution is split any more. */
    boolean onlyRelayed;

    KnownStatement(PreparedText text, int parameters, long epoch) {
        this.text = text;
        this.parameters = parameters;
        this.epoch = epoch;
        this.kinds = new ParameterTypes(parameters);
    }

    /** Whether the server lacks the current types. */
    boolean incomplete() {
        return !Arrays.equals(types, sentTypes);
    }

    /** Only relays it from now on: the server's types are unknown, so none may be added to later executions. */
    void relayOnly() {
        onlyRelayed = true;
        types = UNKNOWN;
        sentTypes = UNKNOWN;
    }

    /**
     * An execution failed, and the one before it was split. MySQL does not keep the types of an execution that fails
     * before it runs, for instance with error 3988 (measured on 9.7.4). It answers the next execution without types
     * with error 1210. If the client's last types arrived with a split execution, the server still lacks them.
     */
    void failedAfterSplit() {
        split = true;
        sentTypes = UNKNOWN;
        text.executedWith(UNKNOWN);
    }
}
