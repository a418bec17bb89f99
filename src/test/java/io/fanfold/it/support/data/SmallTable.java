package io.fanfold.it.support.data;

import io.fanfold.client.WireConnection;

/** The table t for tests that do not depend on its contents: 200 rows in 4 partitions of 50 each. */
public final class SmallTable {
    private SmallTable() {}

    /**
     * Creates the table: id from 0 to 199, v from 0 to 96, the names n0 to n12.
     *
     * @param admin has a default database
     */
    public static void create(WireConnection admin) throws Exception {
        admin.execute("CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT, name VARCHAR(20)) PARTITION BY HASH (id)"
                + " PARTITIONS 4");
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            rows.append(i == 0 ? "" : ",").append("(" + i + "," + i * 31 % 97 + ",'n" + i % 13 + "')");
        }
        admin.execute("INSERT INTO t VALUES " + rows);
    }
}
