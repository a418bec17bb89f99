package io.fanfold.operator;

import io.fanfold.plan.MergeNode.BitOperation;
import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.row.MalformedValueException;
import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;
import java.nio.charset.StandardCharsets;

/** BIT_AND, BIT_OR or BIT_XOR of unsigned 64-bit numbers. Ignores NULLs. */
final class BitsAccumulator implements Accumulator {
    private static final long LAST_BEFORE_DIGIT = Long.divideUnsigned(-1L, 10);

    private final int column;
    private final BitOperation operation;

    BitsAccumulator(MergeFunction.Bits accumulator) {
        this.column = accumulator.column();
        this.operation = accumulator.operation();
    }

    @Override
    public AccumulatorState start() {
        return new BitsState();
    }

    private long join(long a, long b) {
        return switch (operation) {
            case AND -> a & b;
            case OR -> a | b;
            case XOR -> a ^ b;
        };
    }

    /** Parses an unsigned number of at most 64 bits, digits only. */
    private static long parse(byte[] text, int start, int length) throws MalformedValueException {
        long value = 0;
        boolean wellFormed = length > 0;
        for (int i = start; i < start + length && wellFormed; i++) {
            int digit = text[i] - '0';
            boolean fits =
                    Long.compareUnsigned(value, LAST_BEFORE_DIGIT) < 0 || value == LAST_BEFORE_DIGIT && digit <= 5;
            wellFormed = digit >= 0 && digit <= 9 && fits;
            value = 10 * value + digit;
        }
        if (!wellFormed) {
            throw new MalformedValueException("an unsigned 64-bit number", text, start, length);
        }
        return value;
    }

    private final class BitsState implements AccumulatorState {
        private static final long SHELL_BYTES = 24;

        private long bits = operation == BitOperation.AND ? -1 : 0;

        @Override
        public long add(Row row, long rank) throws MergeException {
            if (!row.isNull(column)) {
                try {
                    bits = join(bits, parse(row.payload(), row.start(column), row.length(column)));
                } catch (MalformedValueException e) {
                    throw new MergeException(
                            MergeException.MergeFailure.MALFORMED_VALUE, "column " + column + ": " + e.getMessage());
                }
            }
            return 0;
        }

        @Override
        public void merge(AccumulatorState other) {
            bits = join(bits, ((BitsState) other).bits);
        }

        @Override
        public void write(MergeFunction asked, RowBuilder to) {
            to.add(Long.toUnsignedString(bits).getBytes(StandardCharsets.ISO_8859_1));
        }

        @Override
        public long heapBytes() {
            return SHELL_BYTES;
        }
    }
}
