package io.fanfold.session.command;

import io.fanfold.session.channel.Words;
import io.fanfold.wire.ServerFlavor;
import java.util.List;

/**
 * The effect of a successful statement on FOUND_ROWS(), derived from the first words of its text. The lists hold only
 * statements that were measured on both servers (MySQL 9.7.4, MariaDB 10.11.18, see {@code FoundRowsIT}).
 */
enum RowsEffect {
    /** It sets FOUND_ROWS(). */
    SETS,

    /** It does not change FOUND_ROWS(). */
    LEAVES,

    /** It does not change FOUND_ROWS(), but sets the row count and the warnings. */
    CHANGES,

    /** Not known. Some of these statements change FOUND_ROWS(), some do so on one server only. */
    UNKNOWN;

    private static final List<String> SET_ROWS = List.of("select", "(", "with ");

    /** First words of statements that do not change FOUND_ROWS(), unless they contain a query. */
    private static final List<String> LEAVE_ROWS = List.of(
            "set ",
            "use ",
            "begin",
            "start transaction",
            "commit",
            "rollback",
            "savepoint ",
            "release savepoint ",
            "lock tables ",
            "unlock tables",
            "show warnings",
            "show errors");

    /** Signs of a second statement or of a query. */
    private static final Words MORE = new Words(List.of(";", "select", "table ", "values", "with", "for "));

    private static final Words SEVERAL = new Words(List.of(";"));

    /**
     * First words of statements that do not change FOUND_ROWS(), but set the row count and the warnings. An UPDATE of
     * one table does the same on MariaDB; on MySQL it sets FOUND_ROWS() to the number of rows that it finds.
     */
    private static final List<String> CHANGE = List.of(
            "insert ",
            "replace ",
            "delete from ",
            "truncate table ",
            "truncate ",
            "create table ",
            "create temporary table ",
            "create index ",
            "create unique index ",
            "create database ",
            "drop table ",
            "drop temporary table ",
            "drop index ",
            "drop database ",
            "alter table ");

    /** Signs that such a text contains a query, is several statements, or returns rows. */
    private static final Words CHANGE_BY_QUERY = new Words(
            List.of(";", "select", "table ", "row(", "row (", "with", "using", "join", "returning", "as values"));

    private static final String UPDATE = "update ";
    private static final String SET = " set ";

    /** The longest text that is searched for a query, in bytes. */
    private static final int LONGEST_CHANGE = 1 << 16;

    /** @param offset the index of the first byte of the text */
    static RowsEffect of(byte[] payload, int offset, ServerFlavor flavor) {
        int start = start(payload, offset);
        int length = payload.length - start;
        if (startsWithOneOf(SET_ROWS, payload, start)) {
            return SETS;
        }
        if (leaves(payload, start, length)) {
            return LEAVES;
        }
        if (changes(payload, start, length, flavor)) {
            return CHANGES;
        }
        return flavor.isMySql() && Words.startsWith(payload, start, payload.length, UPDATE) ? SETS : UNKNOWN;
    }

    /** Whether a text may be several statements. */
    static boolean several(byte[] payload, int offset) {
        return SEVERAL.in(payload, offset, payload.length - offset);
    }

    /** The index of the first byte after blanks and comments. A comment that the server executes is not skipped. */
    private static int start(byte[] sql, int offset) {
        int at = offset;
        while (at < sql.length) {
            if (sql[at] <= ' ' && sql[at] >= 0) {
                at++;
            } else if (Words.startsWith(sql, at, sql.length, "/*") && !executable(sql, at + 2)) {
                int end = at + 2;
                while (end < sql.length && !Words.startsWith(sql, end, sql.length, "*/")) {
                    end++;
                }
                at = Math.min(sql.length, end + 2);
            } else {
                return at;
            }
        }
        return at;
    }

    private static boolean executable(byte[] sql, int at) {
        return Words.startsWith(sql, at, sql.length, "!") || Words.startsWith(sql, at, sql.length, "m!");
    }

    private static boolean startsWithOneOf(List<String> heads, byte[] sql, int offset) {
        return heads.stream().anyMatch(head -> Words.startsWith(sql, offset, sql.length, head));
    }

    private static boolean leaves(byte[] sql, int offset, int length) {
        for (String head : LEAVE_ROWS) {
            if (Words.startsWith(sql, offset, offset + length, head)) {
                return !MORE.in(sql, offset + head.length(), length - head.length());
            }
        }
        return false;
    }

    private static boolean changes(byte[] sql, int offset, int length, ServerFlavor flavor) {
        if (length > LONGEST_CHANGE) {
            return false;
        }
        for (String head : CHANGE) {
            if (Words.startsWith(sql, offset, offset + length, head)) {
                // on MySQL, CREATE TABLE ... SELECT does not change FOUND_ROWS() either
                Words others = flavor.isMySql() && head.startsWith("create") ? SEVERAL : CHANGE_BY_QUERY;
                return !others.in(sql, offset + head.length(), length - head.length());
            }
        }
        return flavor.isMariaDb() && updatesOneTable(sql, offset, length);
    }

    private static boolean updatesOneTable(byte[] sql, int offset, int length) {
        int end = offset + length;
        if (!Words.startsWith(sql, offset, end, UPDATE)) {
            return false;
        }
        for (int at = offset + UPDATE.length(); at < end && sql[at] != ','; at++) {
            if (Words.startsWith(sql, at, end, SET)) {
                return !CHANGE_BY_QUERY.in(sql, offset + UPDATE.length(), length - UPDATE.length());
            }
        }
        return false;
    }
}
