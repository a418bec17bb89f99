package io.fanfold.cli.fuzz;

import java.io.IOException;

/** Makes a statement smaller as long as it still differs. For one thread. */
final class Shrinker {
    private final Check check;
    private int left;

    /** Whether a statement still differs. */
    @FunctionalInterface
    interface Check {
        boolean differs(Statement statement) throws IOException;
    }

    /**
     * A shrinker.
     *
     * @param tries how many statements may be tried
     */
    Shrinker(Check check, int tries) {
        this.check = check;
        this.left = tries;
    }

    /** The smallest form found; the statement itself when no smaller one differs. */
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
