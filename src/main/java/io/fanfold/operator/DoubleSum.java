package io.fanfold.operator;

import java.util.Arrays;

/**
 * An exact sum of doubles, rounded only when it is read: a list of numbers that do not overlap, whose exact sum it is.
 * So the result does not depend on the order of the numbers. Used by one thread at a time.
 *
 * @see <a href="https://doi.org/10.1007/PL00009321">Shewchuk: Adaptive Precision Floating-Point Arithmetic and Fast
 *     Robust Geometric Predicates, 1997</a>, Grow-Expansion
 */
final class DoubleSum {
    /** Smallest first, each of another magnitude. Only the first {@link #count} are used. */
    private double[] parts = new double[2];

    private int count;

    void add(double number) {
        double rest = number;
        int kept = 0;
        for (int i = 0; i < count; i++) {
            double part = parts[i];
            double larger = Math.abs(rest) < Math.abs(part) ? part : rest;
            double smaller = Math.abs(rest) < Math.abs(part) ? rest : part;
            double sum = larger + smaller;
            double error = smaller - (sum - larger);
            if (error != 0) {
                parts[kept++] = error;
            }
            rest = sum;
        }
        if (kept == parts.length) {
            parts = Arrays.copyOf(parts, 2 * kept);
        }
        parts[kept++] = rest;
        count = kept;
    }

    void add(DoubleSum other) {
        for (int i = 0; i < other.count; i++) {
            add(other.parts[i]);
        }
    }

    /** The rounded sum; not finite if it, or an intermediate result, is too large for a double. */
    double value() {
        double sum = 0;
        // from the smallest on, each addition loses less than half of the last digit
        for (int i = 0; i < count; i++) {
            sum += parts[i];
        }
        return sum;
    }

    long heapBytes() {
        return HeapSize.array((long) Double.BYTES * parts.length);
    }
}
