package io.fanfold.catalog;

import java.util.List;
import java.util.Optional;

/**
 * The facts about a table in the text of SHOW CREATE TABLE.
 *
 * @param kind the kind of object
 * @param engine the storage engine as written, e.g. {@code InnoDB}; empty if the text has none
 * @param partitioned whether it has a PARTITION BY clause
 * @param partitioning method and expression; empty if unknown or if there are subpartitions
 * @param scheme the partitioning with its partitions; empty if these are not understood
 * @param systemVersioned whether it keeps old versions of its rows (MariaDB)
 * @param primaryKey the columns of the primary key, in order; empty if there is none, or if it has a prefix of a column:
 *     different prefixes may belong to values that are equal, such as {@code ß} and {@code ss}
 */
public record CreateTableFacts(
        NameKind kind,
        Optional<String> engine,
        boolean partitioned,
        Optional<Partitioning> partitioning,
        Optional<PartitionScheme> scheme,
        boolean systemVersioned,
        List<String> primaryKey) {
    public CreateTableFacts {
        primaryKey = List.copyOf(primaryKey);
    }

    /** The kinds of objects. */
    public enum NameKind {
        BASE_TABLE,
        TEMPORARY_TABLE,
        VIEW,
        /** A MariaDB sequence. */
        SEQUENCE,
        /** The text is none of these or could not be read to its end. */
        UNKNOWN
    }

    public boolean temporary() {
        return kind == NameKind.TEMPORARY_TABLE;
    }

    public boolean view() {
        return kind == NameKind.VIEW;
    }

    /** Whether the engine is InnoDB. */
    public boolean innoDb() {
        return engine.map("InnoDB"::equalsIgnoreCase).orElse(false);
    }

    /** Whether the engine is MariaDB's Spider, which keeps the rows on other servers. */
    public boolean spider() {
        return engine.map("SPIDER"::equalsIgnoreCase).orElse(false);
    }

    /** Whether it is a Spider table with known partitions. */
    public boolean spiderPartitions() {
        return spider() && scheme.isPresent();
    }
}
