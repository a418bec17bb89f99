package io.fanfold.cli;

/** The terminal that the launcher has found. */
final class Terminal {
    private Terminal() {}

    /** Returns the width of the output in characters; 0 if it is no terminal, and lines are not wrapped. */
    static int columns() {
        return Math.max(0, Integer.getInteger("fanfold.columns", 0));
    }
}
