package io.fanfold.it.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.ServerSupport;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.SplitTables;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.ServerFlavor;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The versions that no other test runs on: the statements of {@link SplitIT} on one partitioning scheme, and some random
 * statements. {@code docs/servers.md} names the versions.
 *
 * <p>{@code -Dfanfold.it.versions.statements=2000} makes the random statements as many. The long form of the rest is
 * {@link SplitIT} with {@code -Dfanfold.mysql.server} or {@code -Dfanfold.mariadb.server}.
 */
class OtherVersionsIT {
    private static final TestDatabase DATABASE =
            new TestDatabase("it_split", "DEFAULT CHARACTER SET utf8mb4", SplitTables::create);
    private static final int STATEMENTS = Integer.getInteger("fanfold.it.versions.statements", 80);
    private static final String TABLE = "t_hash";

    /**
     * On MySQL 8.0, PREPARE announces keys of ROLLUP that are dates as strings, and for joins the plan does not show
     * whether the answer does.
     */
    private static final Pattern OPEN_ON_80 = Pattern.compile("SELECT b\\.name, a\\.d, .* JOIN .* WITH ROLLUP");

    @OnServers({ServerName.MARIADB_114, ServerName.MARIADB_118, ServerName.MYSQL_80})
    void theSameStatementsAreSplit(TestServer server) throws Exception {
        boolean mySql = server.kind() == ServerFlavor.MYSQL;
        try (SameAsServer same = DATABASE.shared(server, 3)) {
            try (WireConnection direct = same.proxy().direct()) {
                assertThat(ServerSupport.tested(direct.identity())).isEqualTo("a tested version");
            }
            List<String> statements = new ArrayList<>(SplitTables.statements("split-fans-out.sql"));
            statements.addAll(
                    SplitTables.statements(mySql ? "split-fans-out-mysql.sql" : "split-fans-out-mariadb.sql"));
            SplitIT.each(statements, statement -> {
                boolean open = mySql && OPEN_ON_80.matcher(statement).matches();
                same.fansOutIf(!open, SplitIT.on(statement, TABLE), Reason.ROLLUP);
            });
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
