package io.fanfold.observe;

/**
 * Executions of SELECTs that differ only in their values. Immutable.
 *
 * @param schema the schema of their sessions; "" if there is none, or it is not known
 * @param digest the text without literals
 * @param sample the text of the one that took longest, or the only one that the source has
 * @param cut whether the end of the sample is missing
 * @param executions their number
 * @param nanos their time together
 */
record StatementGroup(String schema, String digest, String sample, boolean cut, long executions, long nanos) {
    /** The mean time of an execution. */
    long meanNanos() {
        return nanos / Math.max(1, executions);
    }

    /** Returns both together, under the digest and with the sample of this one. */
    StatementGroup with(StatementGroup other) {
        return new StatementGroup(schema, digest, sample, cut, executions + other.executions, nanos + other.nanos);
    }

    /** Returns the same executions under another digest. */
    StatementGroup as(String otherDigest) {
        return new StatementGroup(schema, otherDigest, sample, cut, executions, nanos);
    }
}
