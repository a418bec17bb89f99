package io.fanfold.pool;

import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.pool.WorkerRequest.AdmissionOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Counts the free worker connections. A query takes all its permits in one step, so no query holds some while it waits
 * for more, and no deadlock is possible. Safe for use by multiple threads.
 *
 * <p>A request that finds too few permits waits in a first-come, first-served queue. A request of a user at the
 * per-user limit lets later requests pass, since it waits for permits of the same user.
 *
 * <p>When the queue is full, the user with the most waiting requests gives up its newest place to a user with fewer.
 *
 * <p>While requests wait, holders can be asked to release permits, see {@link #revoke}.
 */
final class AdmissionController {
    /** The permits of one request that are not yet released; guarded by the lock. */
    static final class Holding {
        private final @Nullable String user;
        private int held;
        private int revoked;

        private Holding(@Nullable String user, int held) {
            this.user = user;
            this.held = held;
        }

        /** Returns the number of permits still held. */
        int held() {
            return held;
        }

        /** Returns the number of permits that may be revoked; one is always left. */
        private int spare() {
            return Math.max(0, held - revoked - 1);
        }
    }

    /** The permits and waiting requests of one user. */
    private static final class Share {
        private int held;
        private int revoked;
        private int waiting;

        boolean empty() {
            return held == 0 && revoked == 0 && waiting == 0;
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final FanfoldMetrics metrics;
    private final Runnable missed;

    // all guarded by the lock
    private PoolLimits bounds;
    private final List<WorkerRequest> queue = new ArrayList<>();
    private final Map<String, Share> users = new HashMap<>();
    private final Set<Holding> holdings = new LinkedHashSet<>();
    private int free;
    private int revoked;

    /** @param missed called under the lock when a request must wait; must return at once */
    AdmissionController(PoolLimits bounds, FanfoldMetrics metrics, Runnable missed) {
        this.missed = missed;
        this.bounds = bounds;
        this.metrics = metrics;
        this.free = bounds.total();
    }

    /**
     * Changes the limits. Permits that are held stay so, even if they are more. Of the waiting requests, those end that
     * can no longer be served.
     */
    void limit(PoolLimits changed) {
        lock.lock();
        try {
            free += changed.total() - bounds.total();
            bounds = changed;
            queue.stream().filter(this::exceeds).toList().forEach(request -> end(request, AdmissionOutcome.TOO_MANY));
            serve();
        } finally {
            lock.unlock();
        }
    }

    /** Whether a request asks for more permits than it may have. */
    private boolean exceeds(WorkerRequest request) {
        return request.atLeast > Math.min(bounds.total(), mostOf(request.user));
    }

    /**
     * Takes permits, or waits for them.
     *
     * @return how the request ended. With {@link AdmissionOutcome#ADMITTED} its {@code holding} has atLeast..atMost permits
     */
    AdmissionOutcome take(WorkerRequest request) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (request.open() && exceeds(request)) {
                request.outcome = AdmissionOutcome.TOO_MANY;
            }
            if (request.open()) {
                enter(request);
            }
            AdmissionOutcome outcome = request.outcome;
            return outcome == null ? await(request) : outcome;
        } finally {
            lock.unlock();
        }
    }

    private void enter(WorkerRequest request) {
        add(request);
        serve();
        if (!request.open()) {
            return;
        }
        if (request.wait.isZero()) {
            request.outcome = AdmissionOutcome.WAITED_IN_VAIN;
        } else if (!hasPlace(request)) {
            request.outcome = AdmissionOutcome.QUEUE_FULL;
            metrics.queueFull();
        }
        if (!request.open()) {
            remove(request);
        }
    }

    /** Whether the queue has room for this request, possibly because another request gives up its place. */
    private boolean hasPlace(WorkerRequest request) {
        if (request.user == null
                || queue.stream().filter(waiter -> waiter.user != null).count() <= bounds.queue()) {
            return true;
        }
        WorkerRequest newest = null;
        for (WorkerRequest waiter : queue) {
            if (waiter.user != null && (newest == null || waiting(waiter) >= waiting(newest))) {
                newest = waiter;
            }
        }
        if (newest == null || waiting(newest) <= waiting(request)) {
            return false;
        }
        end(newest, AdmissionOutcome.QUEUE_FULL);
        metrics.queueFull();
        return true;
    }

    private int waiting(WorkerRequest request) {
        Share share = users.get(request.user);
        return share == null ? 0 : share.waiting;
    }

    private AdmissionOutcome await(WorkerRequest request) throws InterruptedException {
        Condition changed = lock.newCondition();
        request.changed = changed;
        long start = System.nanoTime();
        metrics.queued();
        missed.run();
        try {
            long left = request.wait.toNanos();
            while (request.open() && left > 0) {
                left = changed.awaitNanos(left);
            }
            if (request.open()) {
                end(request, AdmissionOutcome.WAITED_IN_VAIN);
            }
        } catch (InterruptedException e) {
            Holding holding = request.holding;
            if (holding != null) {
                releaseLocked(holding, holding.held, 0);
                request.holding = null;
            }
            request.outcome = null;
            end(request, AdmissionOutcome.WITHDRAWN);
            throw e;
        } finally {
            metrics.leftQueue(request.holding != null, System.nanoTime() - start);
        }
        return request.outcome == null ? AdmissionOutcome.WAITED_IN_VAIN : request.outcome;
    }

    /** Ends a waiting request; does nothing if it has ended already. Returns at once. */
    void withdraw(WorkerRequest request) {
        lock.lock();
        try {
            if (request.open()) {
                end(request, AdmissionOutcome.WITHDRAWN);
            }
        } finally {
            lock.unlock();
        }
    }

    private void end(WorkerRequest request, AdmissionOutcome outcome) {
        request.outcome = outcome;
        remove(request);
        wake(request);
        serve();
    }

    /**
     * Gives permits to waiting requests in queue order. A request that lacks free permits blocks those after it;
     * otherwise a request for several would never find them free together.
     */
    private void serve() {
        for (WorkerRequest request : List.copyOf(queue)) {
            int room = mostOf(request.user) - heldBy(request.user);
            if (room >= request.atLeast) {
                if (free < request.atLeast) {
                    return;
                }
                Holding holding = new Holding(request.user, Math.min(request.atMost, Math.min(free, room)));
                request.holding = holding;
                request.outcome = AdmissionOutcome.ADMITTED;
                holdings.add(holding);
                free -= holding.held;
                share(request.user).held += holding.held;
                remove(request);
                wake(request);
            }
        }
    }

    private static void wake(WorkerRequest request) {
        if (request.changed != null) {
            request.changed.signal();
        }
    }

    /**
     * Whether the holder should release one permit although it could use it. True if a waiting request lacks permits,
     * those already revoked are not enough, and enough can be revoked. Never revokes the last permit. After true, the
     * caller must release that permit, see {@link #release}.
     */
    boolean revoke(Holding holding) {
        lock.lock();
        try {
            if (holding.spare() == 0 || !lacking(holding.user)) {
                return false;
            }
            holding.revoked++;
            share(holding.user).revoked++;
            revoked++;
            metrics.revoked();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether a waiting request lacks permits that this user could release, even after all revoked permits are
     * released.
     */
    private boolean lacking(@Nullable String user) {
        int coming = free + revoked;
        Map<String, Integer> promised = new HashMap<>();
        for (WorkerRequest request : queue) {
            String waiter = request.user;
            Share share = users.get(key(waiter));
            int room = mostOf(waiter) - promised.getOrDefault(key(waiter), 0);
            room -= share == null ? 0 : share.held - share.revoked;
            if (room < request.atLeast) {
                if (waiter != null && waiter.equals(user) && room + spareOf(waiter) >= request.atLeast) {
                    return true;
                }
            } else if (coming < request.atLeast) {
                return coming + spareOf(null) >= request.atLeast;
            } else {
                coming -= request.atLeast;
                promised.merge(key(waiter), request.atLeast, Integer::sum);
            }
        }
        return false;
    }

    /** Returns the number of permits that may be revoked from one user, or from all if null. */
    private int spareOf(@Nullable String user) {
        return holdings.stream()
                .filter(holding -> user == null || user.equals(holding.user))
                .mapToInt(Holding::spare)
                .sum();
    }

    /**
     * Releases permits together, so that a request waiting for several gets them.
     *
     * @param asked how many of them {@link #revoke} revoked
     */
    void release(Holding holding, int count, int asked) {
        lock.lock();
        try {
            releaseLocked(holding, count, asked);
        } finally {
            lock.unlock();
        }
    }

    private void releaseLocked(Holding holding, int count, int asked) {
        if (holding.held < count || holding.revoked < asked) {
            throw new IllegalStateException("more permits were given back than taken");
        }
        Share share = share(holding.user);
        free += count;
        revoked -= asked;
        share.held -= count;
        share.revoked -= asked;
        holding.held -= count;
        holding.revoked -= asked;
        if (holding.held == 0) {
            holdings.remove(holding);
        }
        tidy(holding.user, share);
        serve();
    }

    private void add(WorkerRequest request) {
        queue.add(request);
        share(request.user).waiting++;
    }

    private void remove(WorkerRequest request) {
        if (queue.remove(request)) {
            Share share = share(request.user);
            share.waiting--;
            tidy(request.user, share);
        }
    }

    private int mostOf(@Nullable String user) {
        return user == null ? Integer.MAX_VALUE : bounds.ofUser();
    }

    private int heldBy(@Nullable String user) {
        Share share = users.get(key(user));
        return share == null ? 0 : share.held;
    }

    private Share share(@Nullable String user) {
        return users.computeIfAbsent(key(user), name -> new Share());
    }

    /** Removes the entry of a user without permits or requests. */
    private void tidy(@Nullable String user, Share share) {
        if (share.empty()) {
            users.remove(key(user));
        }
    }

    /** Maps null, the proxy itself, to a key that no user name can equal: user names contain no zero byte. */
    private static String key(@Nullable String user) {
        return user == null ? "\0" : user;
    }

    /** Returns the number of free permits, for display. Negative while more are held than a lower limit allows. */
    int free() {
        lock.lock();
        try {
            return free;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of waiting threads. */
    int waiting() {
        lock.lock();
        try {
            return queue.size();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of users with permits or requests. */
    int users() {
        lock.lock();
        try {
            return users.size();
        } finally {
            lock.unlock();
        }
    }
}
