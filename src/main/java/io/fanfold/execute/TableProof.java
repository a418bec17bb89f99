package io.fanfold.execute;

import io.fanfold.catalog.CreateTable;
import io.fanfold.catalog.CreateTableFacts;
import io.fanfold.catalog.PartitionScheme;
import io.fanfold.catalog.Partitioning;
import io.fanfold.catalog.TableName;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Row;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.wire.Reply;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Proves from SHOW CREATE TABLE what each table of a statement is. It is checked in the client's own session, and again
 * in the first worker's transaction, because another table may have the name by then. These pass through:
 *
 * <ul>
 *   <li>a view, which silently ignores a PARTITION clause
 *   <li>a temporary table, which exists only in its own session
 *   <li>a table of another engine, which has no snapshots
 * </ul>
 *
 * A partitioned Spider table is accepted here; {@link SpiderTable} decides which statements over it are split.
 */
final class TableProof {
    private TableProof() {}

    /**
     * Returns the full name of a table in a statement.
     *
     * @param database the session's default database; null if there is none
     */
    static TableName fullName(TableRef table, @Nullable String database) throws RefusedException {
        String schema = table.schema() == null ? database : table.schema();
        if (schema == null) {
            throw new RefusedException(Reason.PARTITIONS, "no database is chosen for " + table.name());
        }
        return new TableName(schema, table.name());
    }

    /** The statement that shows a table as its session sees it. */
    static String statement(TableRef table) {
        return "SHOW CREATE TABLE " + name(table);
    }

    /** The name of a table as the statement writes it, quoted. */
    static String name(TableRef table) {
        String schema = table.schema() == null ? "" : TableName.quote(table.schema()) + ".";
        return schema + TableName.quote(table.name());
    }

    /**
     * Checks one table.
     *
     * @param reply the reply to {@link #statement}
     * @param shadowingAliases names that no column of the table may have, in lower case
     */
    static void check(TableRef table, Reply reply, Set<String> shadowingAliases) throws RefusedException {
        if (reply instanceof Reply.Failed failed) {
            throw new RefusedException(Reason.TABLE_UNREADABLE, table.name() + ": " + failed.message());
        }
        if (!(reply instanceof Reply.Result rows) || rows.rows().size() != 1) {
            throw new RefusedException(Reason.TABLE_UNREADABLE, table.name());
        }
        if (rows.columns().isEmpty() || !rows.columns().get(0).name().equalsIgnoreCase("Table")) {
            throw new RefusedException(Reason.VIEW, table.name());
        }
        Row row = rows.rows().get(0);
        String text = row.utf8(1);
        if (text == null) {
            throw new RefusedException(Reason.TABLE_UNREADABLE, table.name());
        }
        CreateTableFacts facts = CreateTable.read(text);
        if (facts.temporary()) {
            throw new RefusedException(Reason.TEMPORARY_TABLE, table.name());
        }
        if (facts.kind() != CreateTableFacts.NameKind.BASE_TABLE) {
            throw new RefusedException(facts.view() ? Reason.VIEW : Reason.TABLE_UNREADABLE, table.name());
        }
        if (!facts.innoDb() && !facts.spiderPartitions()) {
            throw new RefusedException(
                    Reason.ENGINE,
                    table.name() + ": " + facts.engine().orElse("none")
                            + (facts.spider() ? " without partitions that Fanfold can read" : ""));
        }
        if (facts.systemVersioned()) {
            throw new RefusedException(Reason.ENGINE, table.name() + " keeps old versions of its rows");
        }
        String lower = text.toLowerCase(Locale.ROOT);
        for (String name : shadowingAliases) {
            if (named(name, lower)) {
                throw new RefusedException(Reason.AMBIGUOUS_NAME, name + " is an alias and a name in " + table.name());
            }
        }
    }

    /**
     * Refuses a table with texts that MariaDB treats as JSON because of a CHECK (JSON_VALID). JSON made from them
     * contains these as they are, but other texts as strings.
     */
    static void requireNoJsonTexts(TableRef table, Reply reply) throws RefusedException {
        boolean checked = reply instanceof Reply.Result rows
                && rows.rows().stream()
                        .anyMatch(row -> String.valueOf(row.utf8(1))
                                .toLowerCase(Locale.ROOT)
                                .contains("json_valid"));
        if (checked) {
            throw new RefusedException(Reason.ARGUMENT_TYPE, table.name() + " has texts that are JSON");
        }
    }

    /**
     * The partitioning of the table in such a reply, as far as known. Unknown for Spider: nothing keeps its servers from
     * having rows that belong to another partition.
     */
    static Optional<Partitioning> partitioning(Reply reply) {
        return ownRows(reply).flatMap(CreateTableFacts::partitioning);
    }

    /** The partitioning of the table in such a reply, with its partitions. Unknown for Spider, see above. */
    static Optional<PartitionScheme> scheme(Reply reply) {
        return ownRows(reply).flatMap(CreateTableFacts::scheme);
    }

    /**
     * The columns of the primary keys of some tables, as far as no two rows can have equal values in them. Unknown for
     * Spider, whose servers may have rows with the same key, and for partitioned tables, which may have rows in other
     * partitions than their own after EXCHANGE PARTITION WITHOUT VALIDATION.
     *
     * @param shown the replies by their statements
     */
    static Map<TableRef, List<String>> primaryKeys(List<TableRef> tables, Map<String, Reply> shown) {
        Map<TableRef, List<String>> keys = new HashMap<>();
        for (TableRef table : tables) {
            Optional.ofNullable(shown.get(statement(table)))
                    .flatMap(TableProof::ownRows)
                    .filter(facts -> !facts.partitioned() && !facts.primaryKey().isEmpty())
                    .ifPresent(facts -> keys.put(table, facts.primaryKey()));
        }
        return keys;
    }

    private static Optional<CreateTableFacts> ownRows(Reply reply) {
        return definition(reply).map(CreateTable::read).filter(CreateTableFacts::innoDb);
    }

    /** The partitions of a Spider table in such a reply; empty if it is none. */
    static Optional<PartitionScheme> spiderScheme(Reply reply) {
        return definition(reply)
                .map(CreateTable::read)
                .filter(CreateTableFacts::spider)
                .flatMap(CreateTableFacts::scheme);
    }

    /** The text of the table's definition in such a reply. */
    static Optional<String> definition(Reply reply) {
        return reply instanceof Reply.Result rows && rows.rows().size() == 1
                ? Optional.ofNullable(rows.rows().get(0).utf8(1))
                : Optional.empty();
    }

    /** Whether the table in such a reply may have generated columns. */
    static boolean mayCompute(Reply reply) {
        return definition(reply)
                .map(text -> text.toUpperCase(Locale.ROOT).contains("GENERATED ALWAYS"))
                .orElse(true);
    }

    /**
     * Whether a definition, in lower case, contains a name: quoted, or as a column name without quotes if
     * {@code sql_quote_show_create} is off.
     */
    private static boolean named(String name, String lower) {
        return lower.contains(TableName.quote(name))
                || lower.contains("\"" + name.replace("\"", "\"\"") + "\"")
                || lower.contains("\n  " + name + " ");
    }
}
