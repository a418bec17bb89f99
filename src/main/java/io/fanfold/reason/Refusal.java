package io.fanfold.reason;

/**
 * Why a statement, or a block of it, is not split. Immutable.
 *
 * @param detail what was found and where. It may contain text of the statement, so it is logged at DEBUG only
 * @param remedy what to try instead
 * @param holdsFor for what else it holds
 */
public record Refusal(Reason reason, String detail, Remedy remedy, HoldsFor holdsFor) {
    /** Creates one without a remedy that holds as {@linkplain Reason#holdsFor usual} for its reason. */
    public Refusal(Reason reason, String detail) {
        this(reason, detail, Remedy.NONE, reason.holdsFor());
    }

    /** Another way to split groups that cannot be merged from their parts. */
    public enum Remedy {
        /** There is none. */
        NONE,
        /** The final query computes the groups from materialized rows. */
        GATHER,
        /** Partition queries compute groups that lie in one partition, or else the final query, from materialized rows. */
        WHOLE_GROUPS
    }

    /** For which further executions a refusal holds. */
    public enum HoldsFor {
        /** For the same text in any session. */
        TEXT,
        /** For this execution only, as far as is known: it may depend on the session or on values. */
        SESSION,
        /** For the same text in the next moment, because it depends on the tables. */
        MOMENT
    }
}
