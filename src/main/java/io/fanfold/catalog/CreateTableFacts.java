package io.fanfold.catalog;

import java.util.Optional;

/**
 * What the text of SHOW CREATE TABLE says of a name.
 *
 * @param kind what the name stands for
 * @param engine the storage engine as written, e.g. {@code InnoDB}; empty when the text has none
 * @param partitioned whether it has a PARTITION BY clause
 * @param partitioning by what, as far as it is known and there are no sub-partitions
 * @param scheme the same with the partitions, as far as these are understood
 * @param systemVersioned whether it keeps old versions of its rows (MariaDB)
 */
public record CreateTableFacts(
        Kind kind,
        Optional<String> engine,
        boolean partitioned,
        Optional<Partitioning> partitioning,
        Optional<PartitionScheme> scheme,
        boolean systemVersioned) {

    /** What a name can stand for. */
    public enum Kind {
        BASE_TABLE,
        TEMPORARY_TABLE,
        VIEW,
        /** A sequence of MariaDB. */
        SEQUENCE,
        /** The text is none of these or could not be read to its end. */
        UNKNOWN
    }

    public boolean temporary() {
        return kind == Kind.TEMPORARY_TABLE;
    }

    public boolean view() {
        return kind == Kind.VIEW;
    }

    /** Whether the engine is InnoDB. */
    public boolean innoDb() {
        return engine.map("InnoDB"::equalsIgnoreCase).orElse(false);
    }
}
