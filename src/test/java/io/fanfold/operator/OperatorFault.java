package io.fanfold.operator;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.takesArgument;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import io.fanfold.row.Row;
import io.fanfold.wire.PacketCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.loading.ClassReloadingStrategy;
import net.bytebuddy.matcher.ElementMatcher;

/**
 * A mistake in the code of an operator. From {@link #begin} to {@link #end}, one method is wrong in this whole process: its
 * class is redefined, so the operators need no hook for tests. For one thread at a time.
 */
@SuppressWarnings({
    "UnusedVariable", // assignments to parameters are compiled into the operator
    "ImmutableEnumChecker" // matchers are immutable, and do not say so
})
public enum OperatorFault {
    SUM_LOSES_PARTIALS(GroupSums.class, named("add").and(takesArguments(int.class, Row.class)), SkipThird.class),
    AVG_COUNTS_ONE_MORE(Quotient.class, named("write").and(takesArgument(2, long.class)), OneMore.class),
    NUMBERS_ARE_TEXTS(NumberKey.class, named("write"), TextKey.class),
    BITS_ARE_REPLACED(BitsAccumulator.class, named("join"), SecondArgument.class),
    TUPLES_ARE_NOT_FOUND(KeyTable.class, named("find"), NotFound.class),
    GROUPS_ARE_NOT_FOUND(GroupTable.class, named("find"), NotFound.class),
    BYTES_LOSE_CASE(BytesKey.class, named("write"), LowerCase.class),
    DESC_IS_IGNORED(KeyBuffer.class, named("invert"), Skip.class),
    TOP_N_KEEPS_THE_LARGEST(SmallestRows.class, named("takes"), TakesOthers.class),
    TOP_N_DROPS_FIRST_ROWS(TopRowsPartial.class, named("add"), SkipFirstOfPartition.class),
    MERGE_SORT_TAKES_THE_LARGEST(
            MergeOrder.MergeSource.class,
            named("compareTo").and(takesArgument(0, MergeOrder.MergeSource.class)),
            Reversed.class),
    BATCHES_SWAP_TWO_ROWS(RowBatch.class, named("writeTo"), SwapFirstTwo.class),
    BATCHES_REPEAT_A_ROW(RowBatch.class, named("writeTo"), RepeatFirst.class),
    EXCHANGE_LOSES_ITS_LAST_BATCH(ExchangeSink.class, named("partitionEnds"), EmptyBatch.class);

    static final AtomicInteger CALLS = new AtomicInteger();

    private final Class<?> operator;
    private final ElementMatcher<? super MethodDescription> method;
    private final Class<?> mistake;

    /** @param mistake advice for the method, compiled into it */
    OperatorFault(Class<?> operator, ElementMatcher<? super MethodDescription> method, Class<?> mistake) {
        this.operator = operator;
        this.method = method;
        this.mistake = mistake;
    }

    private static ClassReloadingStrategy strategy() {
        Instrumentation jvm = ByteBuddyAgent.install();
        return ClassReloadingStrategy.of(jvm);
    }

    /** Makes the method wrong. */
    public void begin() {
        new ByteBuddy()
                .decorate(operator)
                .visit(Advice.to(mistake).on(method))
                .make()
                .load(operator.getClassLoader(), strategy());
    }

    /** Makes the method right again. */
    public void end() {
        try {
            strategy().reset(ClassFileLocator.ForClassLoader.of(operator.getClassLoader()), operator);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Does nothing. */
    static final class Skip {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    /** Does nothing each third time. */
    static final class SkipThird {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return CALLS.incrementAndGet() % 3 == 0;
        }
    }

    /** Does nothing for the first row of a partition, whose rank has only the partition's number. */
    static final class SkipFirstOfPartition {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.Argument(1) long rank) {
            return Long.numberOfTrailingZeros(rank) >= 42;
        }
    }

    /** Divides by one more. */
    static final class OneMore {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 2, readOnly = false) long count) {
            count++;
        }
    }

    /** Writes a number as a text. */
    static final class TextKey {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(
                @Advice.Argument(0) byte[] text,
                @Advice.Argument(1) int start,
                @Advice.Argument(2) int length,
                @Advice.Argument(3) KeyBuffer to)
                throws MergeException {
            BytesKey.write(text, start, length, to);
            return true;
        }
    }

    /** Returns the second argument. */
    static final class SecondArgument {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(1) long second, @Advice.Return(readOnly = false) long joined) {
            joined = second;
        }
    }

    /** Finds nothing. */
    static final class NotFound {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) int found) {
            found = -1;
        }
    }

    /** Writes letters in lower case. */
    static final class LowerCase {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, readOnly = false) byte[] bytes) {
            bytes = lower(bytes);
        }
    }

    static byte[] lower(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1)
                .toLowerCase(Locale.ROOT)
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Takes the rows that are not among the smallest. */
    static final class TakesOthers {
        @Advice.OnMethodExit
        static void exit(
                @Advice.FieldValue("size") int size,
                @Advice.FieldValue("limit") long limit,
                @Advice.Return(readOnly = false) boolean takes) {
            takes ^= size == limit;
        }
    }

    /** Compares the other way. */
    static final class Reversed {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) int order) {
            order = -order;
        }
    }

    /** Writes the second row of a batch in place of the first, and the reverse. */
    static final class SwapFirstTwo {
        @Advice.OnMethodEnter
        static void enter(
                @Advice.FieldValue("packets") byte[] packets,
                @Advice.FieldValue("length") int length,
                @Advice.Argument(value = 1, readOnly = false) int from,
                @Advice.Argument(value = 2, readOnly = false) int to) {
            int first = PacketCodec.end(packets, 0);
            if (from == 0 && to == first && first < length) {
                from = first;
                to = PacketCodec.end(packets, first);
            } else if (from == first) {
                from = 0;
                to = first;
            }
        }
    }

    /** Writes the first row of a batch twice, and not the second. */
    static final class RepeatFirst {
        @Advice.OnMethodEnter
        static void enter(
                @Advice.FieldValue(value = "packets", readOnly = false) byte[] packets,
                @Advice.Argument(value = 1, readOnly = false) int from,
                @Advice.Argument(value = 2, readOnly = false) int to) {
            packets = firstRepeated(packets, from, to);
            from = 0;
            to = packets.length;
        }
    }

    static byte[] firstRepeated(byte[] packets, int from, int to) {
        int first = PacketCodec.end(packets, from);
        int second = first < to ? PacketCodec.end(packets, first) : first;
        ByteArrayOutputStream repeated = new ByteArrayOutputStream();
        for (int i = 0; i < (first < to ? 2 : 1); i++) {
            repeated.write(packets, from, first - from);
        }
        repeated.write(packets, second, to - second);
        return repeated.toByteArray();
    }

    /** Hands an empty batch on in place of the rows. */
    static final class EmptyBatch {
        @Advice.OnMethodEnter
        static void enter(@Advice.FieldValue(value = "batch", readOnly = false) RowBatch batch) {
            batch = new RowBatch();
        }
    }
}
