package io.fanfold.binlog;

import io.fanfold.catalog.TableName;
import java.util.Set;

/** What an event of the binary log says about changes. No row is read. Immutable. */
sealed interface LogEvent {
    /**
     * A transaction of MySQL begins.
     *
     * @param source see {@link GtidSet}
     * @param number its number at this source
     */
    record Transaction(String source, long number) implements LogEvent {}

    /**
     * A group of events of MariaDB begins.
     *
     * @param single whether one statement follows, and no end
     */
    record Group(boolean single) implements LogEvent {}

    /** A statement may change the table. MariaDB maps also the tables that a foreign key changes, without their rows. */
    record Mapped(TableName table) implements LogEvent {}

    /**
     * Rows of a table changed.
     *
     * @param partitions the partitions' ordinals, from 0 on; empty if the event does not name them
     * @param cascades whether foreign keys may have changed rows of any other tables, without an event. MySQL before 9.6,
     *     or with innodb_native_foreign_keys, logs nothing of them
     */
    record Rows(TableName table, Set<Integer> partitions, boolean cascades) implements LogEvent {}

    /**
     * A statement.
     *
     * @param text its text; empty if it is too long or compressed
     */
    record Statement(String text) implements LogEvent {}

    /** The transaction is committed. */
    record Commit() implements LogEvent {}

    /**
     * A transaction ends whose changes cannot be placed.
     *
     * @param what the event's name
     */
    record UnplacedEnd(String what) implements LogEvent {}

    /**
     * A change that cannot be placed.
     *
     * @param what the event's name
     */
    record Unplaced(String what) implements LogEvent {}

    /**
     * The next events are in this file.
     *
     * @param file its name
     * @param offset where they begin
     */
    record NextFile(String file, long offset) implements LogEvent {}

    /** The server has sent all events, and nothing happened since. */
    record Heartbeat() implements LogEvent {}

    /** Nothing that concerns changes. */
    record Nothing() implements LogEvent {}
}
