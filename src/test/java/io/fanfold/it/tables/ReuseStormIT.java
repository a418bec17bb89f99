package io.fanfold.it.tables;

import io.fanfold.it.support.load.ReuseStorm;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.it.support.server.own.OwnMariaDb;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/**
 * Asks for sums while writers change the tables in every way that the binary log shows differently. Each answer is compared
 * with the server's in the same snapshot.
 */
class ReuseStormIT {
    @TempDir
    private Path folder;

    @OnServers(ServerName.MYSQL)
    void everyAnswerIsTheServers(TestServer server) throws Exception {
        everyAnswerIsThatOf(server);
    }

    /** On a server of its own: after an XA COMMIT, a MariaDB server splits fewer statements in transactions. */
    @OnServers(ServerName.MARIADB)
    void everyAnswerIsTheServersOnMariaDb(TestServer server) throws Exception {
        try (OwnMariaDb own = OwnMariaDb.start(server, folder.resolve("data"), "--server-id=78", "--log-bin=binlog")) {
            everyAnswerIsThatOf(own.server());
        }
    }

    private static void everyAnswerIsThatOf(TestServer server) throws Exception {
        ProxySetup setup = ProxySetup.ofDegree(3).keyRanges().reuses().verifiesAll();
        try (ProxiedServer proxy = ProxiedServer.start(server, setup);
                ReuseStorm storm = ReuseStorm.start(proxy)) {
            storm.ask(ReuseStorm.ANSWERS);
            storm.end("storm");
        }
    }
}
