package io.fanfold.plan;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.AggregateFunction;
import io.fanfold.sql.FunctionFacts.DivisionKind;
import io.fanfold.sql.SqlWords;

/** Refusals by words in SQL text that is not part of a partition query. Stateless. */
final class TextRules {
    private TextRules() {}

    /** Refuses text with a remainder, which MariaDB may show in two ways, depending on the plan. */
    static void refuseRemainders(SqlWords words) throws RefusedException {
        if (words.contains(known -> known.divides() == DivisionKind.REMAINDER)) {
            throw new RefusedException(
                    Reason.ARGUMENT_TYPE, "MariaDB shows a remainder of zero with or without a sign");
        }
    }

    /** Refuses text that joins the values of a merged block, because the order of its rows is not fixed. */
    static void refuseJoined(SqlWords words) throws RefusedException {
        if (words.contains(known -> known.isAggregate(AggregateFunction::joins))) {
            throw new RefusedException(Reason.AGGREGATE, "values of a merged block are joined in any order");
        }
    }

    /**
     * Refuses variances outside the merged blocks. They depend on the order in which the server reads rows, and its
     * plan may be a different one there.
     */
    static void refuseVariance(SqlWords words) throws RefusedException {
        if (words.contains(known -> known.isAggregate(AggregateFunction::variance))) {
            throw new RefusedException(Reason.APPROXIMATE, "a variance outside of the split block");
        }
    }

    /** Refuses functions of the current time in a part of the final query. */
    static void refuseMoments(SqlWords words) throws RefusedException {
        if (words.readsCurrentTime()) {
            throw new RefusedException(
                    Reason.SESSION_FUNCTION, "the final query would have another moment than the workers");
        }
    }
}
