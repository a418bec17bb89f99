package io.fanfold.operator;

import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.plan.SortKey;
import io.fanfold.row.ExactDecimal;
import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The distinct tuples of some keys, without those that contain NULL. Returns their number and, if requested, the exact
 * sum of the values of the only key. All accumulators over the same keys share one state.
 */
final class DistinctAccumulator implements Accumulator {
    private final int column;
    private final OptionalInt decimals;
    private final KeyEncoder encoder;
    private final long seed;

    /**
     * Collects the tuples of {@code keys}.
     *
     * @param decimals the least number of decimals of the sum; there is then one key, and it is a NUMBER. Empty if the
     *     values are not summed
     * @param seed the seed of the hash, the same for all threads of a merge
     */
    DistinctAccumulator(List<SortKey> keys, OptionalInt decimals, long seed) {
        if (keys.isEmpty()) {
            throw new IllegalArgumentException("different tuples need a key");
        }
        if (decimals.isPresent() && (keys.size() != 1 || keys.get(0).comparison() != SortKey.KeyComparison.NUMBER)) {
            throw new IllegalArgumentException("a sum of different values needs one key that is a number: " + keys);
        }
        this.column = keys.get(0).column();
        this.decimals = decimals;
        this.encoder = KeyEncoder.forGroups(keys);
        this.seed = seed;
    }

    @Override
    public AccumulatorState start() {
        DistinctState state = new DistinctState();
        if (state.sum != null) {
            state.sum.widenScale(decimals.orElse(0));
        }
        return state;
    }

    private final class DistinctState implements AccumulatorState {
        private static final long SHELL_BYTES = 24;

        /** In an encoded key, a number follows the byte that says it is not NULL. */
        private static final int NUMBER_START = 1;

        private KeyTable tuples = new KeyTable();
        private @Nullable ExactDecimal sum = decimals.isPresent() ? new ExactDecimal() : null;

        @Override
        public long add(Row row, long rank) throws MergeException {
            encoder.encode(row);
            if (encoder.hasNull()) {
                return 0;
            }
            int hash = encoder.hash(seed);
            if (tuples.find(encoder, hash) >= 0) {
                return 0;
            }
            long before = heapBytes();
            if (sum != null) {
                GroupSums.add(sum, row, column);
            }
            tuples.add(encoder.toBytes(), hash);
            return heapBytes() - before;
        }

        @Override
        public void merge(AccumulatorState other) throws MergeException {
            DistinctState that = (DistinctState) other;
            if (that.tuples.size() > tuples.size()) {
                swap(that);
            }
            for (int i = 0; i < that.tuples.size(); i++) {
                byte[] key = that.tuples.key(i);
                int hash = that.tuples.hash(i);
                if (tuples.find(key, hash) < 0) {
                    tuples.add(key, hash);
                    if (sum != null) {
                        NumberKey.addTo(sum, key, NUMBER_START);
                    }
                }
            }
            if (sum != null && that.sum != null) {
                sum.widenScale(that.sum.scale());
            }
        }

        private void swap(DistinctState that) {
            KeyTable itsTuples = that.tuples;
            ExactDecimal itsSum = that.sum;
            that.tuples = tuples;
            that.sum = sum;
            tuples = itsTuples;
            sum = itsSum;
        }

        @Override
        public void check() throws MergeException {
            if (sum != null) {
                GroupSums.checkDigits(sum);
            }
        }

        @Override
        public void write(MergeFunction asked, RowBuilder to) {
            if (asked instanceof MergeFunction.CountDistinct) {
                to.add(Integer.toString(tuples.size()).getBytes(StandardCharsets.ISO_8859_1));
            } else if (sum == null || tuples.size() == 0) {
                to.addNull();
            } else {
                to.add(sum.toText());
            }
        }

        @Override
        public long heapBytes() {
            return SHELL_BYTES + tuples.heapBytes() + (sum == null ? 0 : sum.heapBytes());
        }
    }
}
