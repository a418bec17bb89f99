package io.fanfold.it.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;

/** A server moves the groups of a query to disk if they are many. Smaller partition queries have fewer. */
class ManyGroupsIT {
    /** Two equal partitions with 480,000 groups each, and 24 large groups. */
    private static final TestDatabase DATABASE = new TestDatabase("it_many_groups", "", admin -> {
        admin.execute("CREATE TABLE digits (n INT PRIMARY KEY)");
        admin.execute("INSERT INTO digits WITH RECURSIVE c AS (SELECT 0 n UNION ALL SELECT n + 1 FROM c WHERE n < 99)"
                + " SELECT n FROM c");
        admin.execute("CREATE TABLE many (id INT, p INT, g INT NOT NULL, v INT NOT NULL, PRIMARY KEY (id, p))"
                + " ENGINE=InnoDB PARTITION BY HASH (p) PARTITIONS 2");
        admin.execute("INSERT INTO many SELECT a.n * 10000 + b.n * 100 + c.n, c.n % 2, a.n % 24, b.n"
                + " FROM digits a JOIN digits b JOIN digits c WHERE a.n < 96");
        admin.query("ANALYZE TABLE many");
    });

    private static final String MANY = "SELECT id, SUM(v) FROM many GROUP BY id ORDER BY 2 DESC, 1 LIMIT 5";
    private static final String FEW = "SELECT g, SUM(v) FROM many GROUP BY g";
    private static final String JOINED =
            "SELECT id, SUM(v + n) FROM many JOIN digits ON g = n GROUP BY id ORDER BY 2 DESC, 1 LIMIT 5";
    private static final String VALUES = "SELECT COUNT(DISTINCT id) FROM many";

    @AllServers
    void theNextSplitHasMoreQueries(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, ProxySetup.ofDegree(2).keyRanges())) {
            for (String statement : new String[] {MANY, FEW, VALUES, JOINED}) {
                assertThat(queries(same, statement)).as(statement).contains("in 2 queries");
                same.fansOut(statement);
            }
            assertThat(queries(same, MANY)).containsPattern("^2 of 2 .*in [3-8] queries");
            same.fansOut(MANY);
            assertThat(queries(same, FEW)).as("few groups").contains("in 2 queries");
            assertThat(queries(same, JOINED)).as("each would read digits again").contains("in 2 queries");
            assertThat(queries(same, VALUES)).as("values alone").contains("in 2 queries");
        }
    }

    /** The row of EXPLAIN FORMAT=FANFOLD that says what is read. */
    private static String queries(SameAsServer same, String statement) throws Exception {
        try (WireConnection client = same.proxy().proxied()) {
            client.execute("USE " + DATABASE.name());
            return client.query("EXPLAIN FORMAT=FANFOLD " + statement).rows().stream()
                    .filter(row -> "partitions".equals(row.utf8(0)))
                    .map(row -> String.valueOf(row.utf8(1)))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
