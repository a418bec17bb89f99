package io.fanfold.binlog;

import io.fanfold.wire.PayloadReader;
import io.fanfold.wire.ProtocolException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the events of one connection, and puts the changes of each transaction into the {@link LoggedChanges} when the
 * transaction ends. Changes of a transaction that is rolled back count too: it is logged if a table could not be rolled
 * back.
 *
 * <p>On MySQL, the end moves the position by the transaction's GTID. On MariaDB, it moves it to the end of the last
 * event. There, events between transactions move the position too. Heartbeats move nothing: the events before
 * them have moved the position to the same place.
 *
 * <p>An {@link IOException} means that changes may be unknown, so the connection must end. For use by one thread.
 */
final class ChangeReader {
    private final EventDecoder decoder = new EventDecoder();
    private final LoggedChanges changes;

    /** The position after the last transaction. */
    private LogPosition position;

    /** The changes of the transaction that is read; null between transactions. */
    private @Nullable GroupChanges group;

    /** Whether the transaction needs an end. */
    private boolean open;

    /** The transaction's GTID on MySQL. */
    private LogEvent.@Nullable Transaction gtid;

    ChangeReader(LogPosition start, LoggedChanges changes) {
        this.position = start;
        this.changes = changes;
    }

    /**
     * Reads an event.
     *
     * @param bytes contains the event's first bytes
     * @param from where it begins
     * @param count how many bytes of it there are
     * @param whole whether these are all its bytes
     */
    void read(byte[] bytes, int from, int count, boolean whole) throws IOException {
        PayloadReader in = new PayloadReader(bytes, from, count);
        EventHeader header = EventHeader.read(in);
        apply(header, decoder.decode(header, in, whole));
    }

    private void apply(EventHeader header, LogEvent event) throws IOException {
        if (event instanceof LogEvent.Transaction transaction) {
            begin(false);
            gtid = transaction;
        } else if (event instanceof LogEvent.Group next) {
            begin(!next.single());
        } else if (event instanceof LogEvent.Mapped mapped) {
            GroupChanges here = current("a table");
            if (position instanceof LogPosition.InFile) {
                here.mapped(mapped.table());
            }
        } else if (event instanceof LogEvent.Rows rows) {
            GroupChanges here = current("rows");
            here.rows(rows.table(), rows.partitions());
            if (rows.cascades()) {
                here.cascades();
            }
        } else if (event instanceof LogEvent.Statement statement) {
            statement(header, StatementKind.of(statement.text()));
        } else if (event instanceof LogEvent.Commit) {
            end(header);
        } else if (event instanceof LogEvent.UnplacedEnd unplaced) {
            current(unplaced.what()).everything();
            end(header);
        } else if (event instanceof LogEvent.Unplaced unplaced) {
            current(unplaced.what()).everything();
        } else if (event instanceof LogEvent.NextFile next) {
            between("a file ended");
            if (position instanceof LogPosition.InFile) {
                move(new LogPosition.InFile(next.file(), next.offset()));
                changes.advance(position);
            }
        } else if (event instanceof LogEvent.Heartbeat) {
            changes.heartbeat();
        } else if (group == null && header.end() > 0 && !header.artificial()) {
            if (position instanceof LogPosition.InFile place) {
                move(new LogPosition.InFile(place.file(), header.end()));
                changes.advance(position);
            }
        }
    }

    private void begin(boolean hasEnd) throws ProtocolException {
        between("a transaction began");
        group = new GroupChanges();
        open = hasEnd;
    }

    private void between(String what) throws ProtocolException {
        if (group != null) {
            throw new ProtocolException(what + " before the transaction's end");
        }
    }

    private GroupChanges current(String what) throws ProtocolException {
        if (group == null) {
            throw new ProtocolException("the log has " + what + " outside a transaction");
        }
        return group;
    }

    private void statement(EventHeader header, StatementKind kind) throws IOException {
        GroupChanges here = current("a statement");
        if (kind == StatementKind.BEGIN) {
            open = true;
            return;
        }
        if (kind == StatementKind.UNPLACED) {
            here.everything();
        }
        if (!open || kind == StatementKind.END) {
            end(header);
        }
    }

    private void end(EventHeader header) throws IOException {
        GroupChanges ended = current("an end");
        if (position instanceof LogPosition.Executed executed && gtid != null) {
            if (executed.gtids().contains(gtid.source(), gtid.number())) {
                throw new ProtocolException("the log has a transaction again: it was reset");
            }
            position = new LogPosition.Executed(executed.gtids().plus(gtid.source(), gtid.number()));
        } else if (position instanceof LogPosition.InFile place && header.end() > 0) {
            move(new LogPosition.InFile(place.file(), header.end()));
        } else {
            throw new ProtocolException("a transaction ended without a position");
        }
        group = null;
        gtid = null;
        decoder.forgetTables();
        changes.commit(position, ended);
    }

    private void move(LogPosition next) throws ProtocolException {
        if (!next.includes(position)) {
            throw new ProtocolException("the log went back from " + position + " to " + next);
        }
        position = next;
    }
}
