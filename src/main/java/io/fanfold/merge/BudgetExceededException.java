package io.fanfold.merge;

/** Merging would hold more memory than it may. Nothing is wrong with the query: it can still be passed through. */
public final class BudgetExceededException extends Exception {
    private static final long serialVersionUID = 1;

    BudgetExceededException(String budget, long requested, long held, long limit) {
        super("memory budget of the " + budget + ": " + requested + " bytes more do not fit, " + held + " of " + limit
                + " are held");
    }
}
