package io.fanfold.fuzz;

import java.io.IOException;

/** Makes a statement smaller while its answers still differ. Not thread-safe. */
final class Shrinker {
    private final Check check;
    private int left;

    /** Decides whether a statement's answers still differ. */
    @FunctionalInterface
    interface Check {
        boolean differs(Statement statement) throws IOException;
    }

    /**
     * Creates one.
     *
     * @param tries the number of statements that may be tried
     */
    Shrinker(Check check, int tries) {
        this.check = check;
        this.left = tries;
    }

    /** Returns the smallest form found; the statement itself if no smaller one differs. */
    Statement shrink(Statement statement) throws IOException {
        Statement best = statement;
        boolean smaller = true;
        while (smaller && left > 0) {
            smaller = false;
            for (Statement candidate : Smaller.of(best)) {
                if (left-- <= 0) {
                    break;
                }
                if (comparable(candidate) && check.differs(candidate)) {
                    best = candidate;
                    smaller = true;
                    break;
                }
            }
        }
        return best;
    }

    private static boolean comparable(Statement statement) {
        return statement.expectation().sound();
    }
}
