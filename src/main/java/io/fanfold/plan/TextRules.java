package io.fanfold.plan;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.util.regex.Pattern;

/** Refusals by words in SQL text that is not part of a partition query. Stateless. */
final class TextRules {
    static final String SIGN_OF_ZERO = "MariaDB shows a remainder of zero with or without a sign";

    /** Functions of the statement's current time. */
    private static final Pattern THE_MOMENT = Pattern.compile(
            "\\b(NOW|CURDATE|CURTIME|CURRENT_DATE|CURRENT_TIME|CURRENT_TIMESTAMP|LOCALTIME|LOCALTIMESTAMP"
                    + "|UTC_DATE|UTC_TIME|UTC_TIMESTAMP|UNIX_TIMESTAMP)\\b",
            Pattern.CASE_INSENSITIVE);

    static final Pattern JOINS_VALUES =
            Pattern.compile("\\b(GROUP_CONCAT|JSON_ARRAYAGG|JSON_OBJECTAGG)\\b", Pattern.CASE_INSENSITIVE);

    private static final Pattern VARIANCES = Pattern.compile(
            "\\b(STD|STDDEV|STDDEV_POP|STDDEV_SAMP|VARIANCE|VAR_POP|VAR_SAMP)\\b", Pattern.CASE_INSENSITIVE);

    private TextRules() {}

    /** Refuses text with a remainder, which MariaDB may show in two ways, depending on the plan. */
    static void refuseRemainders(String sql) throws RefusedException {
        if (HiddenPrecision.REMAINS.matcher(sql).find()) {
            throw new RefusedException(Reason.ARGUMENT_TYPE, SIGN_OF_ZERO);
        }
    }

    /** Refuses text that joins the values of a merged block, because the order of its rows is not fixed. */
    static void refuseJoined(CharSequence sql) throws RefusedException {
        if (JOINS_VALUES.matcher(sql).find()) {
            throw new RefusedException(Reason.AGGREGATE, "values of a merged block are joined in any order");
        }
    }

    /**
     * Refuses variances outside the merged blocks. They depend on the order in which the server reads rows, and its
     * plan may be a different one there.
     */
    static void refuseVariance(CharSequence sql) throws RefusedException {
        if (VARIANCES.matcher(sql).find()) {
            throw new RefusedException(Reason.APPROXIMATE, "a variance outside of the split block");
        }
    }

    /** Refuses functions of the current time in a part of the final query. */
    static void refuseMoments(CharSequence sql) throws RefusedException {
        if (THE_MOMENT.matcher(sql).find()) {
            throw new RefusedException(
                    Reason.SESSION_FUNCTION, "the final query would have another moment than the workers");
        }
    }
}
