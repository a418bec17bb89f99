package io.fanfold.it.values;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.ServerFlavor;
import java.util.List;

/**
 * Texts with characters that JSON escapes, as rows are transferred into final queries. Not every server decodes all
 * escapes.
 */
class EscapedTextIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_escaped", EscapedTextIT::create);

    private static final List<String> STATEMENTS = List.of(
            "SELECT l, COUNT(*) FROM t GROUP BY l HAVING COUNT(*) > 0",
            "SELECT g, CONCAT(MAX(s), '!'), MIN(l) FROM t GROUP BY g ORDER BY g",
            "SELECT s, ROW_NUMBER() OVER (ORDER BY id) FROM t WHERE id > 0 ORDER BY id",
            "SELECT x.s, x.n FROM (SELECT s, COUNT(*) AS n FROM t GROUP BY s) x ORDER BY x.s",
            "SELECT x.s, y.g FROM (SELECT s, MIN(id) AS i FROM t GROUP BY s) x JOIN t y ON y.id = x.i ORDER BY y.id");

    @OnServers({ServerName.MARIADB, ServerName.MARIADB_WITH_PLUGINS, ServerName.MYSQL})
    void isTheServersOwn(TestServer server) throws Exception {
        // another test may have prepared transactions on the server, which prevents proofs
        try (SameAsServer same =
                DATABASE.compared(server, ProxySetup.ofDegree(3).relaxed())) {
            boolean read = readsEscapes(same.proxy());
            assertThat(read || server.kind() == ServerFlavor.MARIADB).isTrue();
            for (String statement : STATEMENTS) {
                same.fansOutIf(read, statement, Reason.VALUE);
            }
            same.fansOut("SELECT s, COUNT(*) FROM t GROUP BY s ORDER BY COUNT(*), s");
            same.fansOut("SELECT s, COUNT(*) FROM t WHERE g = 1 GROUP BY s ORDER BY COUNT(*), s");
            same.fansOut("SELECT s, id FROM t ORDER BY s, id LIMIT 20");
            same.fansOut("SELECT l, COUNT(*) FROM t GROUP BY l");
        }
    }

    private static boolean readsEscapes(ProxiedServer proxy) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            return admin.query("SELECT c FROM JSON_TABLE('[\"a\\\\\\\\\"]', '$[*]' COLUMNS (c VARCHAR(9) PATH '$')) t")
                    .rows()
                    .toString()
                    .equals("[a\\]");
        }
    }

    private static void create(WireConnection admin) throws Exception {
        admin.execute("CREATE TABLE t (id INT PRIMARY KEY, g INT, s VARCHAR(30), l VARCHAR(30) CHARACTER SET latin1)"
                + " ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 4");
        // there are longer texts without such characters, otherwise the escapes would not fit
        admin.execute("INSERT INTO t VALUES (1, 1, 'none of them, é', 'none of them, é'), (2, 1, 'a/b''c', 'a/b''c'),"
                + " (3, 2, 'a\"b', 'a\"b'), (4, 2, 'a\\\\b', 'a\\\\b'), (5, 3, '\\\\u0041\"', '\\\\u0041\"'),"
                + " (6, 3, NULL, NULL), (7, 4, 'a\\nb\\t😀', 'none'), (8, 4, '\"', '\"')");
        admin.query("ANALYZE TABLE t");
    }
}
