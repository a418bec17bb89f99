package io.fanfold.binlog;

import io.fanfold.catalog.TableName;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The last change of each table and partition since a connection began to read the log. A change is remembered with the
 * position that includes it and everything logged before it. Nothing is proven any longer after the connection has
 * ended. Thread-safe.
 */
public final class LoggedChanges {
    private static final AtomicLong NUMBERS = new AtomicLong();

    /** If more tables and partitions changed, all count as changed. */
    private static final int MOST_REMEMBERED = 200_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition moved = lock.newCondition();
    private final long number = NUMBERS.incrementAndGet();
    private final LogPosition floor;
    private final String server;
    private final Map<TableName, TableChanges> tables = new HashMap<>();
    private LogPosition current;
    private LogPosition everything;

    /** The last change by which foreign keys may have changed any table. */
    private LogPosition cascaded;

    private int remembered;
    private boolean ended;

    /** A position that a caller waited for in vain; null if it was reached. */
    private @Nullable LogPosition missed;

    private int heartbeatsAfterMiss;

    /**
     * Creates changes from a position on, which all later changes follow.
     *
     * @param server see {@link #server}
     */
    LoggedChanges(LogPosition start, String server) {
        floor = start;
        this.server = server;
        current = start;
        everything = start;
        cascaded = start;
    }

    /** The last change of a table. */
    private static final class TableChanges {
        private final Map<Integer, LogPosition> partitions = new HashMap<>();
        private final LogPosition none;

        /** The last change of the table. */
        private LogPosition any;

        /** The last change of the table whose partition is unknown. */
        private LogPosition whole;

        TableChanges(LogPosition none) {
            this.none = none;
            any = none;
            whole = none;
        }

        LogPosition last(OptionalInt partition) {
            return partition.isEmpty() ? any : partitions.getOrDefault(partition.getAsInt(), none);
        }
    }

    /** Returns the number of the connection, unique in this process, and greater than those of earlier connections. */
    public long number() {
        return number;
    }

    /** Returns the key of the server that sends the log, see {@link io.fanfold.client.ServerFacts#serverKey}. */
    public String server() {
        return server;
    }

    /** The stream has read everything up to the position, and no change is in between. */
    void advance(LogPosition position) {
        lock.lock();
        try {
            current = position;
            moved.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The stream has read everything up to the position, and these changes are in between. */
    void commit(LogPosition position, GroupChanges changes) {
        lock.lock();
        try {
            if (changes.isEverything() || remembered > MOST_REMEMBERED) {
                everything = position;
                tables.clear();
                remembered = 0;
            } else {
                if (changes.hasCascades()) {
                    cascaded = position;
                }
                changes.tables().forEach((table, partitions) -> commit(position, table, partitions));
            }
            current = position;
            moved.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void commit(LogPosition position, TableName name, Set<Integer> partitions) {
        TableChanges table = tables.computeIfAbsent(key(name), key -> {
            remembered++;
            return new TableChanges(floor);
        });
        table.any = position;
        if (partitions.isEmpty()) {
            table.whole = position;
        }
        for (int partition : partitions) {
            if (table.partitions.put(partition, position) == null) {
                remembered++;
            }
        }
    }

    /** Names that differ only in case are the same, since they are on servers with lower_case_table_names. */
    private static TableName key(TableName name) {
        return new TableName(folded(name.schema()), folded(name.table()));
    }

    private static String folded(String name) {
        return name.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
    }

    /** The server has sent everything for a while. */
    void heartbeat() throws IOException {
        lock.lock();
        try {
            if (missed != null && current.includes(missed)) {
                missed = null;
            }
            if (missed != null && ++heartbeatsAfterMiss > 1) {
                throw new IOException("the server has executed transactions that are not in its log");
            }
        } finally {
            lock.unlock();
        }
    }

    /** The connection is lost: nobody waits any longer. */
    void end() {
        lock.lock();
        try {
            ended = true;
            moved.signalAll();
        } finally {
            lock.unlock();
        }
    }

    LogPosition current() {
        lock.lock();
        try {
            return current;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until everything up to a snapshot has been read.
     *
     * @param snapshot the snapshot's position
     * @param patience how long to wait at most
     * @return whether it has; false at once if the connection has ended
     */
    public boolean reached(LogPosition snapshot, Duration patience) throws InterruptedException {
        long left = patience.toNanos();
        lock.lockInterruptibly();
        try {
            while (!ended && !current.includes(snapshot)) {
                if (left <= 0) {
                    missed = snapshot;
                    heartbeatsAfterMiss = 0;
                    return false;
                }
                left = moved.awaitNanos(left);
            }
            return !ended;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether it is proven that no commit between two snapshots changed the table. Everything in between must have been
     * read from this connection. A change after the later snapshot may also lead to false. Both positions must be those
     * of proven snapshots of this server that were opened during this connection: no commit is logged but not visible in
     * them.
     *
     * @param since the earlier snapshot's position
     * @param snapshot the later snapshot's position
     * @param name the table; names that differ only in case are the same
     * @param partition the partition's ordinal, from 0 on, for MySQL; with subpartitions, the subpartition's ordinal in
     *     the whole table. Empty for the whole table
     * @param foreignKeys whether the table has a foreign key with ON DELETE or ON UPDATE and CASCADE, SET NULL or SET
     *     DEFAULT; true if unknown. MySQL before 9.6 logs nothing of what these change. So there, an UPDATE or DELETE of any
     *     table counts for this one too
     * @return false also if anything is unknown
     */
    public boolean unchanged(
            LogPosition since, LogPosition snapshot, TableName name, OptionalInt partition, boolean foreignKeys) {
        lock.lock();
        try {
            if (ended
                    || !snapshot.includes(since)
                    || !since.includes(floor)
                    || !current.includes(snapshot)
                    || !since.includes(everything)
                    || foreignKeys && !since.includes(cascaded)) {
                return false;
            }
            TableChanges table = tables.get(key(name));
            return table == null || since.includes(table.whole) && since.includes(table.last(partition));
        } finally {
            lock.unlock();
        }
    }
}
