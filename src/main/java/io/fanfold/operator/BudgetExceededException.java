package io.fanfold.operator;

/** Merging would need more memory than its budget allows. The query itself is valid and can still be passed through. */
public final class BudgetExceededException extends Exception {
    private static final long serialVersionUID = 1;

    BudgetExceededException(String budget, long requested, long held, long limit) {
        super("memory budget of the " + budget + ": " + requested + " bytes more do not fit, " + held + " of " + limit
                + " are held");
    }
}
