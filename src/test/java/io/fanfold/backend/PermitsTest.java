package io.fanfold.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fanfold.backend.Admission.Outcome;
import io.fanfold.backend.Permits.Holding;
import io.fanfold.metrics.CountingMetrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PermitsTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int MANY = 1000;

    private final CountingMetrics metrics = new CountingMetrics();
    private final AtomicInteger missed = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void endThreads() {
        threads.shutdownNow();
    }

    private Permits permits(int total) {
        return permits(total, MANY, MANY);
    }

    private Permits permits(int total, int ofUser, int queue) {
        return new Permits(new Permits.Bounds(total, ofUser, queue), metrics, missed::incrementAndGet);
    }

    /** What a user gets without waiting. */
    private static Holding taken(Permits permits, @Nullable String user, int atMost, int atLeast) throws Exception {
        WorkerRequest request = new WorkerRequest(user, atMost, atLeast, Duration.ZERO);
        assertThat(permits.take(request)).isEqualTo(Outcome.ADMITTED);
        return holding(request);
    }

    private static Outcome refused(Permits permits, @Nullable String user, int atMost, int atLeast) throws Exception {
        return permits.take(new WorkerRequest(user, atMost, atLeast, Duration.ZERO));
    }

    private static Holding holding(WorkerRequest request) {
        Holding holding = request.holding;
        if (holding == null) {
            throw new AssertionError("nothing was taken");
        }
        return holding;
    }

    /** A request that waits on a thread of its own, and how it ended. */
    private record Waiter(WorkerRequest request, CompletableFuture<Outcome> outcome) {
        Holding admitted() {
            assertThat(outcome.join()).isEqualTo(Outcome.ADMITTED);
            return holding(request);
        }

        boolean waits() {
            return !outcome.isDone();
        }
    }

    private Waiter waiter(Permits permits, @Nullable String user, int atMost, int atLeast) {
        int before = permits.waiting();
        WorkerRequest request = new WorkerRequest(user, atMost, atLeast, LONG);
        Waiter waiter = new Waiter(request, CompletableFuture.supplyAsync(() -> take(permits, request), threads));
        awaitWaiting(permits, before + 1);
        return waiter;
    }

    private static Outcome take(Permits permits, WorkerRequest request) {
        try {
            return permits.take(request);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void awaitWaiting(Permits permits, int count) {
        await().pollInterval(Duration.ofMillis(1)).until(() -> permits.waiting() == count);
    }

    private static void giveBack(Permits permits, Holding holding) {
        permits.giveBack(holding, holding.held(), 0);
    }

    @Test
    void givesFewerWhenFewerWillDo() throws Exception {
        Permits permits = permits(5);
        Holding three = taken(permits, "a", 3, 3);
        Holding two = taken(permits, "a", 4, 2);
        assertThat(two.held()).isEqualTo(2);
        assertThat(refused(permits, "a", 4, 1)).isEqualTo(Outcome.WAITED_IN_VAIN);
        giveBack(permits, three);
        giveBack(permits, two);
        assertThat(permits.free()).isEqualTo(5);
        assertThat(permits.users()).as("nobody is remembered").isZero();
    }

    @Test
    void moreThanThereMayBeIsRefusedAtOnce() throws Exception {
        assertThat(permits(3).take(new WorkerRequest("a", 8, 4, LONG))).isEqualTo(Outcome.TOO_MANY);
        Permits ofUser = permits(8, 3, MANY);
        assertThat(ofUser.take(new WorkerRequest("a", 8, 4, LONG))).isEqualTo(Outcome.TOO_MANY);
        assertThat(taken(ofUser, null, 8, 4).held())
                .as("the proxy's own have no limit")
                .isEqualTo(8);
    }

    @Test
    void refusesNonsense() throws Exception {
        assertThatThrownBy(() -> new WorkerRequest("a", 1, 2, LONG)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new WorkerRequest("a", 1, 0, LONG)).isInstanceOf(IllegalArgumentException.class);
        Permits permits = permits(3);
        Holding one = taken(permits, "a", 1, 1);
        taken(permits, "a", 1, 1);
        assertThatThrownBy(() -> permits.giveBack(one, 2, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> permits.giveBack(one, 1, 1)).isInstanceOf(IllegalStateException.class);
        giveBack(permits, one);
        assertThat(permits.free()).isEqualTo(2);
    }

    @Test
    void whoeverCameFirstIsServedFirst() throws Exception {
        Permits permits = permits(4);
        Holding three = taken(permits, "a", 3, 3);
        Waiter big = waiter(permits, "b", 4, 3);
        // one permit is free, but the one who wants three was first
        assertThat(refused(permits, "c", 1, 1)).isEqualTo(Outcome.WAITED_IN_VAIN);
        Waiter small = waiter(permits, "c", 1, 1);
        giveBack(permits, three);
        Holding all = big.admitted();
        assertThat(all.held()).isEqualTo(4);
        assertThat(small.waits()).isTrue();
        giveBack(permits, all);
        assertThat(small.admitted().held()).isEqualTo(1);
    }

    @Test
    void whatIsGivenBackTogetherIsTakenTogether() throws Exception {
        Permits permits = permits(4);
        Holding four = taken(permits, "a", 4, 4);
        Waiter waiter = waiter(permits, "a", 8, 2);
        permits.giveBack(four, 1, 0);
        assertThat(waiter.waits()).isTrue();
        permits.giveBack(four, 3, 0);
        assertThat(waiter.admitted().held()).isEqualTo(4);
    }

    @Test
    void whoGivesUpLeavesTheWayFree() throws Exception {
        Permits permits = permits(4);
        taken(permits, "a", 3, 3);
        WorkerRequest impatient = new WorkerRequest("b", 4, 4, Duration.ofMillis(500));
        CompletableFuture<Outcome> outcome = CompletableFuture.supplyAsync(() -> take(permits, impatient), threads);
        awaitWaiting(permits, 1);
        Waiter behind = waiter(permits, "c", 1, 1);
        assertThat(outcome.join()).isEqualTo(Outcome.WAITED_IN_VAIN);
        assertThat(behind.admitted().held()).isEqualTo(1);
        CountingMetrics.Counts counts = metrics.snapshot();
        assertThat(counts.queued()).isEqualTo(2);
        assertThat(counts.queuedNow()).isZero();
        assertThat(counts.waitedInVain()).isEqualTo(1);
        assertThat(counts.queueNanos())
                .isGreaterThanOrEqualTo(Duration.ofMillis(500).toNanos());
    }

    @Test
    void whoIsNotWantedAnyMoreLeavesTheWayFree() throws Exception {
        Permits permits = permits(4);
        Holding three = taken(permits, "a", 3, 3);
        Waiter first = waiter(permits, "b", 4, 4);
        Waiter second = waiter(permits, "c", 1, 1);
        permits.withdraw(first.request());
        assertThat(first.outcome().join()).isEqualTo(Outcome.WITHDRAWN);
        assertThat(second.admitted().held()).isEqualTo(1);
        permits.withdraw(second.request());
        assertThat(permits.free()).as("what was taken stays taken").isZero();
        giveBack(permits, three);
        WorkerRequest late = new WorkerRequest("b", 1, 1, LONG);
        permits.withdraw(late);
        assertThat(permits.take(late)).isEqualTo(Outcome.WITHDRAWN);
        assertThat(permits.free()).isEqualTo(3);
    }

    @Test
    void anInterruptedThreadLeavesTheQueue() throws Exception {
        Permits permits = permits(1);
        taken(permits, "a", 1, 1);
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            Future<Outcome> waiter = executor.submit(() -> permits.take(new WorkerRequest("b", 1, 1, LONG)));
            awaitWaiting(permits, 1);
            executor.shutdownNow();
            assertThatThrownBy(waiter::get).hasCauseInstanceOf(InterruptedException.class);
            assertThat(permits.waiting()).isZero();
            assertThat(permits.users()).isEqualTo(1);
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void aUserAtTheLimitGetsFewerThenWaitsAndKeepsNobodyWaiting() throws Exception {
        Permits permits = permits(12, 6, MANY);
        Holding four = taken(permits, "a", 4, 2);
        Holding two = taken(permits, "a", 4, 2);
        assertThat(two.held()).as("fewer").isEqualTo(2);
        Waiter more = waiter(permits, "a", 4, 2);
        Holding other = taken(permits, "b", 4, 2);
        assertThat(other.held()).as("another user's").isEqualTo(4);
        giveBack(permits, other);
        assertThat(more.waits()).as("it waits for its own user's").isTrue();
        giveBack(permits, two);
        assertThat(more.admitted().held()).isEqualTo(2);
        giveBack(permits, four);
        assertThat(permits.free()).isEqualTo(10);
    }

    @Test
    void oneIsTooFewWhereTwoAreNeeded() throws Exception {
        Permits permits = permits(12, 3, MANY);
        taken(permits, "a", 2, 2);
        assertThat(refused(permits, "a", 4, 2)).isEqualTo(Outcome.WAITED_IN_VAIN);
        assertThat(taken(permits, "a", 1, 1).held()).isEqualTo(1);
    }

    @Test
    void nobodyFindsAPlaceInAFullQueue() throws Exception {
        Permits permits = permits(2, MANY, 2);
        Holding all = taken(permits, "a", 2, 2);
        Waiter first = waiter(permits, "a", 2, 2);
        Waiter second = waiter(permits, "a", 2, 2);
        assertThat(permits.take(new WorkerRequest("a", 2, 2, LONG))).isEqualTo(Outcome.QUEUE_FULL);
        assertThat(metrics.snapshot().queueFull()).isEqualTo(1);
        assertThat(metrics.snapshot().queuedNow()).isEqualTo(2);
        Waiter own = waiter(permits, null, 1, 1);
        giveBack(permits, all);
        giveBack(permits, first.admitted());
        giveBack(permits, second.admitted());
        assertThat(own.admitted().held()).as("the proxy's own need no place").isEqualTo(1);
    }

    @Test
    void withoutAQueueNobodyWaits() throws Exception {
        Permits permits = permits(2, MANY, 0);
        taken(permits, "a", 2, 2);
        assertThat(permits.take(new WorkerRequest("a", 2, 2, LONG))).isEqualTo(Outcome.QUEUE_FULL);
        assertThat(permits.take(new WorkerRequest("b", 2, 2, LONG))).isEqualTo(Outcome.QUEUE_FULL);
    }

    @Test
    void oneUsersCrowdKeepsNoOtherOutOfTheQueue() throws Exception {
        Permits permits = permits(2, MANY, 3);
        Holding all = taken(permits, "a", 2, 2);
        Waiter first = waiter(permits, "a", 2, 2);
        Waiter second = waiter(permits, "a", 2, 2);
        Waiter third = waiter(permits, "a", 2, 2);
        WorkerRequest others = new WorkerRequest("b", 2, 2, LONG);
        CompletableFuture<Outcome> other = CompletableFuture.supplyAsync(() -> take(permits, others), threads);
        assertThat(third.outcome().join()).as("the newest of the crowd").isEqualTo(Outcome.QUEUE_FULL);
        awaitWaiting(permits, 3);
        // b has one of three places and a two; another one of b's would have as many as a
        assertThat(permits.take(new WorkerRequest("b", 2, 2, LONG))).isEqualTo(Outcome.QUEUE_FULL);
        assertThat(permits.take(new WorkerRequest("a", 2, 2, LONG))).isEqualTo(Outcome.QUEUE_FULL);
        giveBack(permits, all);
        giveBack(permits, first.admitted());
        giveBack(permits, second.admitted());
        assertThat(other.join()).isEqualTo(Outcome.ADMITTED);
        assertThat(metrics.snapshot().queueFull()).isEqualTo(3);
    }

    @Test
    void asManyAreAskedBackAsAreNeededAndNotTheLastOne() throws Exception {
        Permits permits = permits(5);
        Holding four = taken(permits, "a", 4, 4);
        Holding one = taken(permits, "a", 1, 1);
        assertThat(permits.askBack(four)).as("nobody waits").isFalse();
        Waiter first = waiter(permits, "b", 4, 2);
        assertThat(permits.askBack(one)).as("its last").isFalse();
        assertThat(permits.askBack(four)).isTrue();
        assertThat(permits.askBack(four)).isTrue();
        assertThat(permits.askBack(four)).as("two are on their way").isFalse();
        permits.giveBack(four, 1, 1);
        assertThat(permits.askBack(four)).as("one is there, one on its way").isFalse();
        permits.giveBack(four, 1, 1);
        assertThat(first.admitted().held()).isEqualTo(2);
        // one from each: two are needed
        Waiter second = waiter(permits, "c", 2, 2);
        assertThat(permits.askBack(first.admitted())).isTrue();
        assertThat(permits.askBack(first.admitted())).isFalse();
        assertThat(permits.askBack(four)).isTrue();
        assertThat(permits.askBack(four)).isFalse();
        permits.giveBack(four, 1, 1);
        permits.giveBack(first.admitted(), 1, 1);
        assertThat(second.admitted().held()).isEqualTo(2);
        assertThat(metrics.snapshot().askedBack()).isEqualTo(4);
    }

    @Test
    void nothingIsAskedBackThatWouldNotHelp() throws Exception {
        Permits two = permits(2);
        Holding both = taken(two, "a", 2, 2);
        waiter(two, "b", 2, 2);
        assertThat(two.askBack(both)).as("one would be too few").isFalse();

        Permits ofUsers = permits(10, 4, MANY);
        Holding a = taken(ofUsers, "a", 4, 2);
        Holding b = taken(ofUsers, "b", 4, 2);
        Waiter waiter = waiter(ofUsers, "a", 4, 2);
        assertThat(ofUsers.askBack(b)).as("another user's do not help").isFalse();
        assertThat(ofUsers.askBack(a)).isTrue();
        assertThat(ofUsers.askBack(a)).isTrue();
        assertThat(ofUsers.askBack(a)).isFalse();
        ofUsers.giveBack(a, 2, 2);
        assertThat(waiter.admitted().held()).isEqualTo(2);
    }

    @Test
    void manyThreadsTakingHalfNeverDeadlock() {
        Permits permits = permits(8, 6, MANY);
        AtomicInteger used = new AtomicInteger();
        List<CompletableFuture<Void>> working = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            String user = "user" + i % 3;
            working.add(CompletableFuture.runAsync(
                    () -> {
                        for (int k = 0; k < 500; k++) {
                            WorkerRequest request = new WorkerRequest(user, 4, 2, LONG);
                            assertThat(take(permits, request)).isEqualTo(Outcome.ADMITTED);
                            Holding holding = holding(request);
                            int taken = holding.held();
                            assertThat(taken).isBetween(2, 4);
                            assertThat(used.addAndGet(taken)).isLessThanOrEqualTo(8);
                            if (permits.askBack(holding)) {
                                used.decrementAndGet();
                                permits.giveBack(holding, 1, 1);
                                taken--;
                            }
                            used.addAndGet(-taken);
                            permits.giveBack(holding, taken, 0);
                        }
                    },
                    threads));
        }
        CompletableFuture.allOf(working.toArray(CompletableFuture[]::new)).join();
        assertThat(permits.free()).isEqualTo(8);
        assertThat(permits.waiting()).isZero();
        assertThat(permits.users()).isZero();
        assertThat(metrics.snapshot().queuedNow()).isZero();
    }
}
