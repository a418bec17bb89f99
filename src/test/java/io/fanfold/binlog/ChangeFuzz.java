package io.fanfold.binlog;

import io.fanfold.catalog.TableName;
import io.fanfold.wire.PayloadWriter;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;

/** Reads arbitrary bytes as events of a binary log, for {@code DecoderFuzz}. */
public final class ChangeFuzz {
    private static final TableName TABLE = new TableName("d", "t");

    private ChangeFuzz() {}

    /**
     * Reads events, each preceded by one byte with its length. The position never goes back, and what has changed before
     * an error stays changed.
     *
     * @param circumstances the lowest bit selects MariaDB; with the next one, only the first bytes of each event are known
     * @throws IOException if the reader refuses the events
     */
    public static void read(byte[] events, int circumstances) throws IOException {
        LogPosition start = (circumstances & 1) == 0
                ? LogPosition.executed(Events.UUID + ":1-4")
                : new LogPosition.InFile("binlog.000002", 100);
        LoggedChanges changes = new LoggedChanges(start, "");
        ChangeReader reader = new ChangeReader(start, changes);
        int at = 0;
        while (at < events.length) {
            int length = Math.min(events[at] & 0xff, events.length - at - 1);
            LogPosition before = changes.current();
            boolean unchanged = unchanged(changes, start);
            reader.read(events, at + 1, length, (circumstances & 2) == 0);
            if (!changes.current().includes(before)) {
                throw new AssertionError("from " + before + " to " + changes.current());
            }
            if (!unchanged && unchanged(changes, start)) {
                throw new AssertionError("a change is forgotten at " + changes.current());
            }
            at += 1 + length;
        }
    }

    private static boolean unchanged(LoggedChanges changes, LogPosition start) {
        return changes.unchanged(start, changes.current(), TABLE, OptionalInt.of(1), true);
    }

    /** Returns transactions of both servers in the form that {@link #read} takes. */
    public static List<byte[]> seeds() {
        byte[] map = Events.tableMap(7, "d", "t");
        byte[] commit = Events.empty(16, 900);
        return List.of(
                framed(
                        Events.format(0, 0),
                        Events.gtid(5),
                        Events.query("BEGIN", 0),
                        map,
                        Events.rows(31, 7, 0, 2, 9, 1, 2, 0, 0, 0),
                        commit),
                framed(
                        Events.rotate("binlog.000003", 4),
                        Events.format(1, 0),
                        Events.mariaDbGtid(0, 142),
                        map,
                        Events.rowsV1(24, 7),
                        commit),
                framed(Events.mariaDbGtid(1, 142), Events.query("DROP TABLE t", 900)));
    }

    private static byte[] framed(byte[]... events) {
        PayloadWriter all = new PayloadWriter();
        for (byte[] event : events) {
            all.int1(event.length).bytes(event);
        }
        return all.toBytes();
    }
}
