package io.fanfold.operator;

import io.fanfold.row.HeapRoom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A limit on the heap bytes that merging holds. The process has one budget and each query has a child of it; a query's
 * reservations count in both. Safe for all threads, without locks.
 */
public final class MemoryBudget implements HeapRoom, AutoCloseable {
    private static final long CLOSED = -1;

    private final String name;
    private final @Nullable MemoryBudget parent;
    private volatile long limitBytes;
    private final AtomicLong held = new AtomicLong();

    private MemoryBudget(String name, @Nullable MemoryBudget parent, long limitBytes) {
        if (limitBytes < 0) {
            throw new IllegalArgumentException("budget " + name + ": limit " + limitBytes + " is negative");
        }
        this.name = name;
        this.parent = parent;
        this.limitBytes = limitBytes;
    }

    /** The budget of the process; {@code limitBytes} is 0 or more. */
    public static MemoryBudget ofProcess(long limitBytes) {
        return new MemoryBudget("process", null, limitBytes);
    }

    /** Changes the limit. What is reserved stays reserved, even if it is more. */
    public void limit(long bytes) {
        limitBytes = bytes;
    }

    /**
     * Creates a budget that also counts in this one. The caller closes it.
     *
     * @param childName its name in {@link BudgetExceededException}
     * @param childLimitBytes 0 or more; may be larger than the limit of this budget
     */
    public MemoryBudget child(String childName, long childLimitBytes) {
        return new MemoryBudget(childName, this, childLimitBytes);
    }

    /**
     * Reserves bytes in this budget and all its parents, or in none of them.
     *
     * @param bytes 0 or more
     * @throws BudgetExceededException if a limit would be exceeded; nothing is then reserved
     * @throws CancellationException if this budget is closed; nothing is then reserved
     */
    public void reserve(long bytes) throws BudgetExceededException {
        if (bytes < 0) {
            throw new IllegalArgumentException("cannot reserve " + bytes + " bytes");
        }
        // Check first, so that a query at its own limit does not disturb the process.
        check(held.get(), bytes);
        // Reserve in the parent first: close() releases all reserved bytes, and the parent must contain all of them.
        if (parent != null) {
            parent.reserve(bytes);
        }
        try {
            add(bytes);
        } catch (BudgetExceededException | CancellationException e) {
            if (parent != null) {
                parent.release(bytes);
            }
            throw e;
        }
    }

    @Override
    public boolean take(long bytes) {
        try {
            reserve(bytes);
            return true;
        } catch (BudgetExceededException | CancellationException e) {
            return false;
        }
    }

    @Override
    public long leftBytes() {
        long left = limitBytes - heldBytes();
        return parent == null ? left : Math.min(left, parent.leftBytes());
    }

    private void add(long bytes) throws BudgetExceededException {
        long before;
        do {
            before = held.get();
            check(before, bytes);
        } while (!held.compareAndSet(before, before + bytes));
    }

    private void check(long before, long bytes) throws BudgetExceededException {
        if (before == CLOSED) {
            throw new CancellationException("budget " + name + " is closed");
        }
        if (bytes > limitBytes - before) {
            throw new BudgetExceededException(name, bytes, before, limitBytes);
        }
    }

    /**
     * Releases bytes that were reserved. Does nothing after this budget is closed.
     *
     * @param bytes 0 or more, at most the reserved bytes
     */
    @Override
    public void release(long bytes) {
        long before;
        do {
            before = held.get();
            if (before == CLOSED) {
                return;
            }
            if (bytes < 0 || bytes > before) {
                throw new IllegalArgumentException("cannot release " + bytes + " of " + before + " bytes");
            }
        } while (!held.compareAndSet(before, before - bytes));
        if (parent != null) {
            parent.release(bytes);
        }
    }

    /** The bytes reserved now; 0 when closed. */
    public long heldBytes() {
        return Math.max(held.get(), 0);
    }

    public long limitBytes() {
        return limitBytes;
    }

    public boolean isClosed() {
        return held.get() == CLOSED;
    }

    /** Releases all reserved bytes. Later reservations fail; later releases and closes do nothing. */
    @Override
    public void close() {
        long before = held.getAndSet(CLOSED);
        if (before > 0 && parent != null) {
            parent.release(before);
        }
    }
}
