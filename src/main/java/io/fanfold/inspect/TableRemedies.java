package io.fanfold.inspect;

import io.fanfold.catalog.AccountName;
import io.fanfold.catalog.TableName;

/** The statements that make a table splittable. Stateless. */
public final class TableRemedies {
    private TableRemedies() {}

    /** Partitions the table by its primary key. */
    public static String partition(TableName table) {
        return "ALTER TABLE " + name(table) + " PARTITION BY KEY () PARTITIONS 8;";
    }

    /** Stores the table in InnoDB. */
    public static String engine(TableName table) {
        return "ALTER TABLE " + name(table) + " ENGINE = InnoDB;";
    }

    private static String name(TableName table) {
        return AccountName.name(table.schema()) + "." + AccountName.name(table.table());
    }
}
