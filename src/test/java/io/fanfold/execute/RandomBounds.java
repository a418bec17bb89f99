package io.fanfold.execute;

import static net.bytebuddy.matcher.ElementMatchers.named;

import io.fanfold.catalog.KeyColumn;
import io.fanfold.execute.KeyRangeSearch.Interval;
import io.fanfold.plan.KeyBound;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.loading.ClassReloadingStrategy;

/**
 * Has tables split by ranges with random bounds instead of those that the server's estimates suggest, in this whole
 * process, until it is closed. Bounds may lie beyond all values, and ranges may have no rows. {@link KeyRangeSearch} is
 * redefined, so it needs no hook for tests.
 */
public final class RandomBounds implements AutoCloseable {
    private static final int MOST = 24;

    private static final AtomicInteger USES = new AtomicInteger();

    private static volatile Random random = new Random();

    private RandomBounds() {}

    /** Begins with random bounds. */
    public static RandomBounds begin(long seed) {
        random = new Random(seed);
        USES.set(0);
        new ByteBuddy()
                .decorate(KeyRangeSearch.class)
                .visit(Advice.to(Replaced.class).on(named("ranges")))
                .make()
                .load(KeyRangeSearch.class.getClassLoader(), strategy());
        return new RandomBounds();
    }

    private static ClassReloadingStrategy strategy() {
        return ClassReloadingStrategy.of(ByteBuddyAgent.install());
    }

    /** How often random bounds have been used since {@link #begin}. */
    public int uses() {
        return USES.get();
    }

    @Override
    public void close() {
        try {
            strategy()
                    .reset(
                            ClassFileLocator.ForClassLoader.of(KeyRangeSearch.class.getClassLoader()),
                            KeyRangeSearch.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns 2 to {@link #MOST} adjacent intervals about the same values, with random estimates. */
    static List<Interval> like(KeyColumn key, List<Interval> intervals) {
        USES.incrementAndGet();
        BigInteger from = intervals.get(0).from().first();
        BigInteger width = intervals.get(intervals.size() - 1).below().first().subtract(from);
        TreeSet<KeyBound> bounds = new TreeSet<>();
        int count = 3 + random.nextInt(MOST - 1);
        while (bounds.size() < count) {
            // one bound in five is less than all values, and one in five is greater
            BigInteger thousandth = BigInteger.valueOf(random.nextInt(1667) - 333L);
            BigInteger detail = BigInteger.valueOf(random.nextInt(count));
            BigInteger first = from.add(width.multiply(thousandth).divide(BigInteger.valueOf(1000)))
                    .add(detail);
            boolean second = key.second().isPresent() && key.type().exact(first) && random.nextBoolean();
            KeyBound bound = KeyBound.before(first);
            bounds.add(second ? bound.at(BigInteger.valueOf(random.nextInt(1200) - 100L)) : bound);
        }
        List<Interval> cut = new ArrayList<>();
        KeyBound start = bounds.pollFirst();
        for (KeyBound end : bounds) {
            cut.add(new Interval(start, end, 1 + random.nextInt(1000)));
            start = end;
        }
        return cut;
    }

    /** Replaces the second argument. */
    @SuppressWarnings("UnusedVariable") // assignments to parameters are compiled into the method
    static final class Replaced {
        @Advice.OnMethodEnter
        static void enter(
                @Advice.Argument(0) KeyColumn key,
                @Advice.Argument(value = 1, readOnly = false) List<Interval> intervals) {
            if (!intervals.isEmpty()) {
                intervals = like(key, intervals);
            }
        }
    }
}
