package io.fanfold.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fanfold.metrics.Counts;
import io.fanfold.metrics.Meters;
import io.fanfold.pool.AdmissionController.Holding;
import io.fanfold.pool.WorkerRequest.AdmissionOutcome;
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

class AdmissionControllerTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int MANY = 1000;

    private final Meters metrics = new Meters();
    private final AtomicInteger missed = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void endThreads() {
        threads.shutdownNow();
    }

    private AdmissionController permits(int total) {
        return permits(total, MANY, MANY);
    }

    private AdmissionController permits(int total, int ofUser, int queue) {
        return new AdmissionController(new PoolLimits(total, ofUser, queue), metrics, missed::incrementAndGet);
    }

    /** Returns the permits that a user gets without waiting. */
    private static Holding taken(AdmissionController permits, @Nullable String user, int atMost, int atLeast)
            throws Exception {
        WorkerRequest request = new WorkerRequest(user, atMost, atLeast, Duration.ZERO);
        assertThat(permits.take(request)).isEqualTo(AdmissionOutcome.ADMITTED);
        return holding(request);
    }

    private static AdmissionOutcome refused(AdmissionController permits, @Nullable String user, int atMost, int atLeast)
            throws Exception {
        return permits.take(new WorkerRequest(user, atMost, atLeast, Duration.ZERO));
    }

    private static Holding holding(WorkerRequest request) {
        Holding holding = request.holding;
        if (holding == null) {
            throw new AssertionError("nothing was taken");
        }
        return holding;
    }

    /** A request that waits in its own thread, and its outcome. */
    private record Waiter(WorkerRequest request, CompletableFuture<AdmissionOutcome> outcome) {
        Holding admitted() {
            assertThat(outcome.join()).isEqualTo(AdmissionOutcome.ADMITTED);
            return holding(request);
        }

        boolean waits() {
            return !outcome.isDone();
        }
    }

    private Waiter waiter(AdmissionController permits, @Nullable String user, int atMost, int atLeast) {
        int before = permits.waiting();
        WorkerRequest request = new WorkerRequest(user, atMost, atLeast, LONG);
        Waiter waiter = new Waiter(request, CompletableFuture.supplyAsync(() -> take(permits, request), threads));
        awaitWaiting(permits, before + 1);
        return waiter;
    }

    private static AdmissionOutcome take(AdmissionController permits, WorkerRequest request) {
        try {
            return permits.take(request);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void awaitWaiting(AdmissionController permits, int count) {
        await().pollInterval(Duration.ofMillis(1)).until(() -> permits.waiting() == count);
    }

    private static void release(AdmissionController permits, Holding holding) {
        permits.release(holding, holding.held(), 0);
    }

    @Test
    void grantsFewerIfFewerSuffice() throws Exception {
        AdmissionController permits = permits(5);
        Holding three = taken(permits, "a", 3, 3);
        Holding two = taken(permits, "a", 4, 2);
        assertThat(two.held()).isEqualTo(2);
        assertThat(refused(permits, "a", 4, 1)).isEqualTo(AdmissionOutcome.WAITED_IN_VAIN);
        release(permits, three);
        release(permits, two);
        assertThat(permits.free()).isEqualTo(5);
        assertThat(permits.users()).as("nobody is remembered").isZero();
    }

    @Test
    void aRequestAboveTheLimitIsRefusedAtOnce() throws Exception {
        assertThat(permits(3).take(new WorkerRequest("a", 8, 4, LONG))).isEqualTo(AdmissionOutcome.TOO_MANY);
        AdmissionController ofUser = permits(8, 3, MANY);
        assertThat(ofUser.take(new WorkerRequest("a", 8, 4, LONG))).isEqualTo(AdmissionOutcome.TOO_MANY);
        assertThat(taken(ofUser, null, 8, 4).held())
                .as("the proxy's own have no limit")
                .isEqualTo(8);
    }

    @Test
    void refusesNonsense() throws Exception {
        assertThatThrownBy(() -> new WorkerRequest("a", 1, 2, LONG)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new WorkerRequest("a", 1, 0, LONG)).isInstanceOf(IllegalArgumentException.class);
        AdmissionController permits = permits(3);
        Holding one = taken(permits, "a", 1, 1);
        taken(permits, "a", 1, 1);
        assertThatThrownBy(() -> permits.release(one, 2, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> permits.release(one, 1, 1)).isInstanceOf(IllegalStateException.class);
        release(permits, one);
        assertThat(permits.free()).isEqualTo(2);
    }

    @Test
    void requestsAreServedInTheirOrder() throws Exception {
        AdmissionController permits = permits(4);
        Holding three = taken(permits, "a", 3, 3);
        Waiter big = waiter(permits, "b", 4, 3);
        // one permit is free, but the request for three is first in the queue
        assertThat(refused(permits, "c", 1, 1)).isEqualTo(AdmissionOutcome.WAITED_IN_VAIN);
        Waiter small = waiter(permits, "c", 1, 1);
        release(permits, three);
        Holding all = big.admitted();
        assertThat(all.held()).isEqualTo(4);
        assertThat(small.waits()).isTrue();
        release(permits, all);
        assertThat(small.admitted().held()).isEqualTo(1);
    }

    @Test
    void permitsReleasedTogetherAreTakenTogether() throws Exception {
        AdmissionController permits = permits(4);
        Holding four = taken(permits, "a", 4, 4);
        Waiter waiter = waiter(permits, "a", 8, 2);
        permits.release(four, 1, 0);
        assertThat(waiter.waits()).isTrue();
        permits.release(four, 3, 0);
        assertThat(waiter.admitted().held()).isEqualTo(4);
    }

    @Test
    void aRequestThatTimesOutLeavesTheQueue() throws Exception {
        AdmissionController permits = permits(4);
        taken(permits, "a", 3, 3);
        WorkerRequest impatient = new WorkerRequest("b", 4, 4, Duration.ofMillis(500));
        CompletableFuture<AdmissionOutcome> outcome =
                CompletableFuture.supplyAsync(() -> take(permits, impatient), threads);
        awaitWaiting(permits, 1);
        Waiter behind = waiter(permits, "c", 1, 1);
        assertThat(outcome.join()).isEqualTo(AdmissionOutcome.WAITED_IN_VAIN);
        assertThat(behind.admitted().held()).isEqualTo(1);
        Counts counts = metrics.counts();
        assertThat(counts.queued()).isEqualTo(2);
        assertThat(counts.queuedNow()).isZero();
        assertThat(counts.waitedInVain()).isEqualTo(1);
        assertThat(counts.queueNanos())
                .isGreaterThanOrEqualTo(Duration.ofMillis(500).toNanos());
    }

    @Test
    void aWithdrawnRequestLeavesTheQueue() throws Exception {
        AdmissionController permits = permits(4);
        Holding three = taken(permits, "a", 3, 3);
        Waiter first = waiter(permits, "b", 4, 4);
        Waiter second = waiter(permits, "c", 1, 1);
        permits.withdraw(first.request());
        assertThat(first.outcome().join()).isEqualTo(AdmissionOutcome.WITHDRAWN);
        assertThat(second.admitted().held()).isEqualTo(1);
        permits.withdraw(second.request());
        assertThat(permits.free()).as("what was taken stays taken").isZero();
        release(permits, three);
        WorkerRequest late = new WorkerRequest("b", 1, 1, LONG);
        permits.withdraw(late);
        assertThat(permits.take(late)).isEqualTo(AdmissionOutcome.WITHDRAWN);
        assertThat(permits.free()).isEqualTo(3);
    }

    @Test
    void anInterruptedThreadLeavesTheQueue() throws Exception {
        AdmissionController permits = permits(1);
        taken(permits, "a", 1, 1);
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            Future<AdmissionOutcome> waiter = executor.submit(() -> permits.take(new WorkerRequest("b", 1, 1, LONG)));
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
        AdmissionController permits = permits(12, 6, MANY);
        Holding four = taken(permits, "a", 4, 2);
        Holding two = taken(permits, "a", 4, 2);
        assertThat(two.held()).as("fewer").isEqualTo(2);
        Waiter more = waiter(permits, "a", 4, 2);
        Holding other = taken(permits, "b", 4, 2);
        assertThat(other.held()).as("another user's").isEqualTo(4);
        release(permits, other);
        assertThat(more.waits()).as("it waits for its own user's").isTrue();
        release(permits, two);
        assertThat(more.admitted().held()).isEqualTo(2);
        release(permits, four);
        assertThat(permits.free()).isEqualTo(10);
    }

    @Test
    void onePermitIsNotEnoughForARequestOfTwo() throws Exception {
        AdmissionController permits = permits(12, 3, MANY);
        taken(permits, "a", 2, 2);
        assertThat(refused(permits, "a", 4, 2)).isEqualTo(AdmissionOutcome.WAITED_IN_VAIN);
        assertThat(taken(permits, "a", 1, 1).held()).isEqualTo(1);
    }

    @Test
    void nobodyFindsAPlaceInAFullQueue() throws Exception {
        AdmissionController permits = permits(2, MANY, 2);
        Holding all = taken(permits, "a", 2, 2);
        Waiter first = waiter(permits, "a", 2, 2);
        Waiter second = waiter(permits, "a", 2, 2);
        assertThat(permits.take(new WorkerRequest("a", 2, 2, LONG))).isEqualTo(AdmissionOutcome.QUEUE_FULL);
        assertThat(metrics.counts().queueFull()).isEqualTo(1);
        assertThat(metrics.counts().queuedNow()).isEqualTo(2);
        Waiter own = waiter(permits, null, 1, 1);
        release(permits, all);
        release(permits, first.admitted());
        release(permits, second.admitted());
        assertThat(own.admitted().held()).as("the proxy's own need no place").isEqualTo(1);
    }

    @Test
    void withoutAQueueNobodyWaits() throws Exception {
        AdmissionController permits = permits(2, MANY, 0);
        taken(permits, "a", 2, 2);
        assertThat(permits.take(new WorkerRequest("a", 2, 2, LONG))).isEqualTo(AdmissionOutcome.QUEUE_FULL);
        assertThat(permits.take(new WorkerRequest("b", 2, 2, LONG))).isEqualTo(AdmissionOutcome.QUEUE_FULL);
    }

    @Test
    void oneUsersCrowdKeepsNoOtherOutOfTheQueue() throws Exception {
        AdmissionController permits = permits(2, MANY, 3);
        Holding all = taken(permits, "a", 2, 2);
        Waiter first = waiter(permits, "a", 2, 2);
        Waiter second = waiter(permits, "a", 2, 2);
        Waiter third = waiter(permits, "a", 2, 2);
        WorkerRequest others = new WorkerRequest("b", 2, 2, LONG);
        CompletableFuture<AdmissionOutcome> other = CompletableFuture.supplyAsync(() -> take(permits, others), threads);
        assertThat(third.outcome().join()).as("the newest of the crowd").isEqualTo(AdmissionOutcome.QUEUE_FULL);
        awaitWaiting(permits, 3);
        // b has one place of three and a has two; one more would give b as many as a
        assertThat(permits.take(new WorkerRequest("b", 2, 2, LONG))).isEqualTo(AdmissionOutcome.QUEUE_FULL);
        assertThat(permits.take(new WorkerRequest("a", 2, 2, LONG))).isEqualTo(AdmissionOutcome.QUEUE_FULL);
        release(permits, all);
        release(permits, first.admitted());
        release(permits, second.admitted());
        assertThat(other.join()).isEqualTo(AdmissionOutcome.ADMITTED);
        assertThat(metrics.counts().queueFull()).isEqualTo(3);
    }

    @Test
    void onlyTheNeededPermitsAreRevokedAndNeverTheLast() throws Exception {
        AdmissionController permits = permits(5);
        Holding four = taken(permits, "a", 4, 4);
        Holding one = taken(permits, "a", 1, 1);
        assertThat(permits.revoke(four)).as("nobody waits").isFalse();
        Waiter first = waiter(permits, "b", 4, 2);
        assertThat(permits.revoke(one)).as("its last").isFalse();
        assertThat(permits.revoke(four)).isTrue();
        assertThat(permits.revoke(four)).isTrue();
        assertThat(permits.revoke(four)).as("two are on their way").isFalse();
        permits.release(four, 1, 1);
        assertThat(permits.revoke(four)).as("one is there, one on its way").isFalse();
        permits.release(four, 1, 1);
        assertThat(first.admitted().held()).isEqualTo(2);
        // one from each, since two are needed
        Waiter second = waiter(permits, "c", 2, 2);
        assertThat(permits.revoke(first.admitted())).isTrue();
        assertThat(permits.revoke(first.admitted())).isFalse();
        assertThat(permits.revoke(four)).isTrue();
        assertThat(permits.revoke(four)).isFalse();
        permits.release(four, 1, 1);
        permits.release(first.admitted(), 1, 1);
        assertThat(second.admitted().held()).isEqualTo(2);
        assertThat(metrics.counts().revoked()).isEqualTo(4);
    }

    @Test
    void noPermitIsRevokedInVain() throws Exception {
        AdmissionController two = permits(2);
        Holding both = taken(two, "a", 2, 2);
        waiter(two, "b", 2, 2);
        assertThat(two.revoke(both)).as("one would be too few").isFalse();

        AdmissionController ofUsers = permits(10, 4, MANY);
        Holding a = taken(ofUsers, "a", 4, 2);
        Holding b = taken(ofUsers, "b", 4, 2);
        Waiter waiter = waiter(ofUsers, "a", 4, 2);
        assertThat(ofUsers.revoke(b)).as("another user's do not help").isFalse();
        assertThat(ofUsers.revoke(a)).isTrue();
        assertThat(ofUsers.revoke(a)).isTrue();
        assertThat(ofUsers.revoke(a)).isFalse();
        ofUsers.release(a, 2, 2);
        assertThat(waiter.admitted().held()).isEqualTo(2);
    }

    @Test
    void manyThreadsTakingHalfNeverDeadlock() {
        AdmissionController permits = permits(8, 6, MANY);
        AtomicInteger used = new AtomicInteger();
        List<CompletableFuture<Void>> working = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            String user = "user" + i % 3;
            working.add(CompletableFuture.runAsync(
                    () -> {
                        for (int k = 0; k < 500; k++) {
                            WorkerRequest request = new WorkerRequest(user, 4, 2, LONG);
                            assertThat(take(permits, request)).isEqualTo(AdmissionOutcome.ADMITTED);
                            Holding holding = holding(request);
                            int taken = holding.held();
                            assertThat(taken).isBetween(2, 4);
                            assertThat(used.addAndGet(taken)).isLessThanOrEqualTo(8);
                            if (permits.revoke(holding)) {
                                used.decrementAndGet();
                                permits.release(holding, 1, 1);
                                taken--;
                            }
                            used.addAndGet(-taken);
                            permits.release(holding, taken, 0);
                        }
                    },
                    threads));
        }
        CompletableFuture.allOf(working.toArray(CompletableFuture[]::new)).join();
        assertThat(permits.free()).isEqualTo(8);
        assertThat(permits.waiting()).isZero();
        assertThat(permits.users()).isZero();
        assertThat(metrics.counts().queuedNow()).isZero();
    }

    @Test
    void moreConnectionsServeThoseThatWait() throws Exception {
        AdmissionController permits = permits(2);
        Holding two = taken(permits, "a", 2, 2);
        Waiter waiter = waiter(permits, "b", 2, 2);
        permits.limit(new PoolLimits(4, MANY, MANY));
        Holding admitted = waiter.admitted();
        assertThat(permits.free()).isZero();
        release(permits, two);
        release(permits, admitted);
        assertThat(permits.free()).isEqualTo(4);
    }

    @Test
    void fewerConnectionsTakeNothingAway() throws Exception {
        AdmissionController permits = permits(6);
        Holding five = taken(permits, "a", 5, 5);
        permits.limit(new PoolLimits(3, MANY, MANY));
        assertThat(five.held()).isEqualTo(5);
        assertThat(permits.free()).isEqualTo(-2);
        assertThat(refused(permits, "b", 1, 1)).isEqualTo(AdmissionOutcome.WAITED_IN_VAIN);
        assertThat(refused(permits, "b", 4, 4)).isEqualTo(AdmissionOutcome.TOO_MANY);
        Waiter waiter = waiter(permits, "b", 3, 2);
        permits.release(five, 3, 0);
        assertThat(waiter.waits()).as("one is free").isTrue();
        permits.release(five, 1, 0);
        assertThat(waiter.admitted().held()).isEqualTo(2);
    }

    @Test
    void aRequestThatCannotBeServedAnyMoreEnds() throws Exception {
        AdmissionController permits = permits(4);
        Holding four = taken(permits, "a", 4, 4);
        Waiter three = waiter(permits, "b", 3, 3);
        Waiter two = waiter(permits, "c", 2, 2);
        permits.limit(new PoolLimits(2, MANY, MANY));
        assertThat(three.outcome().join()).isEqualTo(AdmissionOutcome.TOO_MANY);
        release(permits, four);
        assertThat(two.admitted().held()).isEqualTo(2);
    }

    @Test
    void theLimitsOfUsersAndOfTheQueueChange() throws Exception {
        AdmissionController permits = permits(8);
        permits.limit(new PoolLimits(8, 2, 0));
        assertThat(taken(permits, "a", 8, 1).held()).isEqualTo(2);
        assertThat(taken(permits, "b", 8, 1).held()).isEqualTo(2);
        Holding rest = taken(permits, null, 8, 1);
        assertThat(permits.take(new WorkerRequest("c", 1, 1, LONG))).isEqualTo(AdmissionOutcome.QUEUE_FULL);
        permits.limit(new PoolLimits(8, 8, 1));
        Waiter waiter = waiter(permits, "c", 1, 1);
        release(permits, rest);
        assertThat(waiter.admitted().held()).isEqualTo(1);
    }
}
