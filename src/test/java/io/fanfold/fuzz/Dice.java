package io.fanfold.fuzz;

import java.util.List;
import java.util.Random;

/** The random choices of one statement, which are the same for the same seed and number. Not thread-safe. */
final class Dice {
    /** Spreads neighbouring numbers over all seeds. */
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final Random random;

    Dice(long seed, long number) {
        long mixed = (seed + number * GOLDEN) * GOLDEN;
        random = new Random(mixed ^ mixed >>> 29);
        random.nextLong();
    }

    boolean percent(int chance) {
        return random.nextInt(100) < chance;
    }

    /** Returns a number from {@code low} to {@code high}, both included. */
    int between(int low, int high) {
        return low + random.nextInt(high - low + 1);
    }

    <T> T oneOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    @SafeVarargs
    final <T> T oneOf(T... choices) {
        return choices[random.nextInt(choices.length)];
    }

    /** Returns an index with a probability by weight; not all weights are zero. */
    int weighted(int... weights) {
        int sum = 0;
        for (int weight : weights) {
            sum += weight;
        }
        int left = random.nextInt(sum);
        for (int i = 0; i < weights.length; i++) {
            left -= weights[i];
            if (left < 0) {
                return i;
            }
        }
        throw new IllegalStateException("weights changed");
    }
}
