package io.fanfold.it.answers;

import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.SplitTables;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.wire.ServerFlavor;
import java.util.List;

/**
 * The versions that no other test runs on: the statements of {@link SplitIT} on one partitioning scheme, and some random
 * statements. {@code docs/servers.md} names the versions.
 *
 * <p>{@code -Dfanfold.it.versions.statements=2000} makes the random statements as many. The long form of the rest is
 * {@link SplitIT} with {@code -Dfanfold.mysql.server} or {@code -Dfanfold.mariadb.server}.
 */
class OtherVersionsIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_versions", "", SplitTables::create);
    private static final int STATEMENTS = Integer.getInteger("fanfold.it.versions.statements", 150);
    private static final String TABLE = "t_hash";

    @OnServers({ServerName.MARIADB_114, ServerName.MARIADB_118, ServerName.MYSQL_80})
    void theSameStatementsAreSplit(TestServer server) throws Exception {
        boolean mySql = server.kind() == ServerFlavor.MYSQL;
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            for (String resource :
                    List.of("split-fans-out.sql", mySql ? "split-fans-out-mysql.sql" : "split-fans-out-mariadb.sql")) {
                SplitIT.each(SplitTables.statements(resource), statement -> same.fansOut(SplitIT.on(statement, TABLE)));
            }
        }
    }

    @OnServers({ServerName.MARIADB_114, ServerName.MARIADB_118, ServerName.MYSQL_80})
    void theSameStatementsPassThrough(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            SplitIT.refused(same, SplitTables.statements("split-passes.sql"), TABLE);
            SplitIT.oneFlavor(same, SplitTables.statements("split-one-server.sql"), TABLE, server.kind());
        }
    }

    @OnServers({ServerName.MARIADB_114, ServerName.MARIADB_118, ServerName.MYSQL_80})
    void randomStatementsHaveTheSameAnswers(TestServer server) throws Exception {
        FuzzIT.run(server, STATEMENTS, false, false);
    }
}
