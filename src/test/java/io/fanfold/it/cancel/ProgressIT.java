package io.fanfold.it.cancel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.it.support.client.BinaryClient;
import io.fanfold.it.support.client.BinaryClient.Answer;
import io.fanfold.it.support.client.BinaryClient.Prepared;
import io.fanfold.it.support.client.SameInBinary;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.row.Row;
import io.fanfold.wire.Capability;
import io.fanfold.wire.PayloadReader;
import io.fanfold.wire.ServerFlavor;
import io.fanfold.wire.ServerPacket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * MariaDB sends progress reports of long statements to clients that request them. The proxy does so for split
 * statements.
 */
class ProgressIT {
    private static final long REPORTED =
            BinaryClient.USUAL & ~Capability.CLIENT_MYSQL | Capability.MARIADB_PROGRESS | Capability.DEPRECATE_EOF;

    private static final String RUNNING = "Running partition queries";

    /** Holds partition queries until they are released. */
    private static final FaultProxy.Fault HOLD = new FaultProxy.Fault(FaultProxy.Kind.HOLD, " PARTITION (", 0, false);

    /** A report as received. */
    private record Report(int stage, int stages, int thousandths, String text) {}

    /** A proxy in front of a server that reports every second, and a way to hold its workers. */
    private record Setup(FaultProxy faults, ProxiedServer proxy) implements AutoCloseable {
        static Setup start(TestServer server, ProxySetup.Tls tls) throws Exception {
            FaultProxy faults = FaultProxy.before(server);
            ProxiedServer proxy = ProxiedServer.start(
                    server, ProxySetup.ofDegree(3).withWorkerPort(faults.port()).withTls(tls));
            SlowTables.create(proxy);
            try (WireConnection admin = proxy.direct()) {
                admin.execute("CREATE USER IF NOT EXISTS '" + BinaryClient.USER + "'@'%' IDENTIFIED BY ''");
                admin.execute("GRANT ALL ON *.* TO '" + BinaryClient.USER + "'@'%'");
                if (server.kind() == ServerFlavor.MARIADB) {
                    admin.execute("SET GLOBAL progress_report_time = 1");
                }
            }
            return new Setup(faults, proxy);
        }

        static Setup start(TestServer server) throws Exception {
            return start(server, ProxySetup.Tls.NONE);
        }

        BinaryClient client(long capabilities) throws Exception {
            BinaryClient client = new BinaryClient("127.0.0.1", proxy.port(), capabilities);
            assertThat(client.query("USE it_slow").failed()).isFalse();
            if (proxy.server().kind() == ServerFlavor.MARIADB) {
                assertThat(client.query("SET progress_report_time = 1").failed())
                        .isFalse();
            }
            proxy.forget();
            return client;
        }

        /** Holds all statements that arrive from now on. */
        void hold() {
            faults.arm(HOLD);
        }

        void awaitHeld(int statements) {
            await().until(() -> faults.befallen() >= statements);
        }

        @Override
        public void close() throws Exception {
            faults.disarm();
            faults.release(1_000);
            if (proxy.server().kind() == ServerFlavor.MARIADB) {
                try (WireConnection admin = proxy.direct()) {
                    admin.execute("SET GLOBAL progress_report_time = DEFAULT");
                }
            }
            proxy.close();
            faults.close();
        }
    }

    private static Report report(byte[] packet) throws Exception {
        PayloadReader in = new PayloadReader(packet);
        assertThat(in.int1()).isEqualTo(ServerPacket.ERROR);
        assertThat(in.int2()).isEqualTo(ServerPacket.PROGRESS_CODE);
        assertThat(in.int1()).as("number of texts").isEqualTo(1);
        Report report = new Report(
                in.int1(),
                in.int1(),
                in.int1() | in.int1() << 8 | in.int1() << 16,
                in.lenencString(StandardCharsets.UTF_8));
        assertThat(in.remaining()).isZero();
        return report;
    }

    private static boolean isReport(byte[] packet) {
        return packet.length > 3 && packet[0] == -1 && packet[1] == -1 && packet[2] == -1;
    }

    /** Reads reports until one shows the given progress. */
    private static void awaitReported(BinaryClient client, int thousandths) throws Exception {
        Report report;
        do {
            int before = client.sequence();
            byte[] packet = client.read();
            assertThat(isReport(packet)).as("the answer came already").isTrue();
            assertThat(client.sequence()).isEqualTo(before + 1);
            report = report(packet);
            assertThat(report).isEqualTo(new Report(1, 1, report.thousandths(), RUNNING));
            assertThat(report.thousandths()).isLessThanOrEqualTo(thousandths);
        } while (report.thousandths() < thousandths);
    }

    /** Reads the answer after the reports. Checks the sequence ids of its first and last packets. */
    private static Answer answer(BinaryClient client) throws Exception {
        int reported = client.sequence();
        byte[] head = client.read();
        while (isReport(head)) {
            reported++;
            head = client.read();
        }
        assertThat(client.sequence()).isEqualTo(reported + 1);
        Answer answer = client.answer(head);
        int packets = answer.others().size()
                + answer.definitions().size()
                + answer.rows().size();
        assertThat(client.sequence()).isEqualTo(reported + packets & 0xff);
        return answer;
    }

    private static List<String> text(Answer answer) {
        return answer.rows().stream()
                .map(row -> Row.of(row, answer.definitions().size()).toString())
                .toList();
    }

    private static void goesOn(Setup setup, BinaryClient client) throws Exception {
        setup.faults().disarm();
        setup.faults().release(1_000);
        setup.proxy().forget();
        client.sendQuery(SlowTables.SHORT);
        Answer answer = client.answer(client.read());
        assertThat(client.sequence()).isEqualTo(answer.others().size() + 3);
        assertThat(answer.rows()).hasSize(1);
        assertThat(setup.proxy().outcome().reason())
                .as("why the next statement was not split")
                .isNull();
    }

    /** Three workers run six partition queries. Each is released after a report has shown the previous ones. */
    private static void reportsRise(Setup setup, BinaryClient client) throws Exception {
        awaitReported(client, 0);
        setup.faults().release(1);
        awaitReported(client, 16_666);
        setup.faults().release(2);
        awaitReported(client, 50_000);
    }

    @OnServers(ServerName.MARIADB)
    void reportsShowTheProgressOfASplit(TestServer server) throws Exception {
        try (Setup setup = Setup.start(server);
                BinaryClient client = setup.client(REPORTED)) {
            assertThat(client.has(Capability.MARIADB_PROGRESS)).isTrue();
            setup.hold();
            client.sendQuery(SlowTables.SHORT);
            setup.awaitHeld(3);
            reportsRise(setup, client);
            setup.faults().release(3);
            Answer answer = answer(client);
            assertThat(text(answer)).containsExactly("990000|20000");
            assertThat(setup.proxy().outcome().partitions()).isEqualTo(6);
            goesOn(setup, client);
        }
    }

    @OnServers(ServerName.MARIADB)
    void executionsAreReportedToo(TestServer server) throws Exception {
        try (Setup setup = Setup.start(server);
                BinaryClient client = setup.client(REPORTED)) {
            Prepared prepared = client.prepare("SELECT SUM(v), COUNT(*) FROM big WHERE id < ?");
            Answer expected = client.execute(prepared.id(), List.of(SameInBinary.integer(1_000)));
            assertThat(setup.proxy().outcome().fannedOut()).isTrue();
            setup.hold();
            client.sendExecute(prepared.id(), List.of(SameInBinary.integer(1_000)));
            reportsRise(setup, client);
            setup.faults().release(3);
            SameInBinary.assertSameText("execution", expected, answer(client));
            assertThat(setup.proxy().outcome().fannedOut()).isTrue();
            goesOn(setup, client);
        }
    }

    /** Encryption on the client's side, compression on both sides, each alone and combined. */
    @OnServers(ServerName.MARIADB)
    void reportsAreEncryptedAndCompressed(TestServer server) throws Exception {
        ProxySetup.Tls tls = new ProxySetup.Tls(
                ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.PREFERRED),
                // a plain connection, so that the fault proxy can recognize workers' statements
                BackendTlsConfig.of(BackendTlsConfig.BackendTlsMode.DISABLED));
        try (Setup setup = Setup.start(server, tls)) {
            for (long more : List.of(Capability.SSL, Capability.COMPRESS, Capability.SSL | Capability.COMPRESS)) {
                try (BinaryClient client = setup.client(REPORTED | more)) {
                    assertThat(client.capabilities() & more).isEqualTo(more);
                    setup.hold();
                    client.sendQuery("SELECT id, v FROM big WHERE v < 50 ORDER BY v, id LIMIT 3000");
                    awaitReported(client, 0);
                    setup.faults().disarm();
                    setup.faults().release(1_000);
                    Answer answer = answer(client);
                    assertThat(answer.rows()).hasSize(3_000);
                    assertThat(setup.proxy().outcome().fannedOut()).isTrue();
                    setup.faults().drainReleases();
                    passesThroughAfterReports(setup, client);
                }
            }
        }
    }

    /** The server does not know about the reports and answers with its own sequence ids. */
    @OnServers(ServerName.MARIADB)
    void answerOfTheServerFollowsReports(TestServer server) throws Exception {
        try (Setup setup = Setup.start(server);
                BinaryClient client = setup.client(REPORTED)) {
            passesThroughAfterReports(setup, client);
            goesOn(setup, client);
        }
    }

    private static void passesThroughAfterReports(Setup setup, BinaryClient client) throws Exception {
        String sql = "SELECT id, v FROM big WHERE v < 50 ORDER BY v, id LIMIT 3000";
        List<String> expected;
        try (WireConnection direct = setup.proxy().direct()) {
            direct.execute("USE it_slow");
            expected = direct.query(sql).rows().stream().map(Row::toString).toList();
        }
        setup.proxy().forget();
        setup.hold();
        client.sendQuery(sql);
        awaitReported(client, 0);
        setup.awaitHeld(3);
        setup.faults().cutAll();
        setup.faults().disarm();
        setup.faults().release(setup.faults().befallen());
        Answer answer = answer(client);
        assertThat(text(answer)).isEqualTo(expected);
        assertThat(setup.proxy().outcome().reason()).isEqualTo(Reason.WORKER_ERROR);
        assertThat(client.single(new byte[] {0x0e})[0]).isZero();
        assertThat(client.sequence()).isEqualTo(1);
    }

    @OnServers(ServerName.MARIADB)
    void errorFollowsReports(TestServer server) throws Exception {
        try (Setup setup = Setup.start(server);
                BinaryClient client = setup.client(REPORTED);
                BinaryClient killer = setup.client(BinaryClient.USUAL)) {
            byte[] id = client.query("SELECT CONNECTION_ID()").rows().get(0);
            setup.hold();
            client.sendQuery(SlowTables.SHORT);
            awaitReported(client, 0);
            assertThat(killer.query("KILL QUERY " + Row.of(id, 1)).failed()).isFalse();
            setup.faults().disarm();
            setup.faults().release(setup.faults().befallen());
            Answer answer = answer(client);
            assertThat(ServerPacket.Err.decode(answer.others().get(0)).code()).isEqualTo(1317);
            goesOn(setup, client);
        }
    }

    /** If the server connection is lost after reports, the client's connection ends. */
    @OnServers(ServerName.MARIADB)
    void lossOfTheServerEndsReports(TestServer server) throws Exception {
        try (Setup setup = Setup.start(server);
                WireConnection admin = setup.proxy().direct();
                BinaryClient client = setup.client(REPORTED)) {
            byte[] id = client.query("SELECT CONNECTION_ID()").rows().get(0);
            setup.hold();
            client.sendQuery(SlowTables.SHORT);
            awaitReported(client, 0);
            admin.execute("KILL " + Row.of(id, 1));
            assertThatThrownBy(() -> answer(client)).hasMessage("the connection ended");
        }
    }

    /** No reports without the capability, or if the session or the server disables them. MySQL has no reports. */
    @AllServers
    void otherClientsGetNoReports(TestServer server) throws Exception {
        try (Setup setup = Setup.start(server);
                BinaryClient timer = setup.client(REPORTED);
                BinaryClient unable = setup.client(REPORTED & ~Capability.MARIADB_PROGRESS | Capability.CLIENT_MYSQL)) {
            ServerFlavor flavor = server.kind();
            List<BinaryClient> unreported = new ArrayList<>(List.of(unable));
            if (flavor.isMariaDb()) {
                BinaryClient unwilling = setup.client(REPORTED);
                unreported.add(unwilling);
                assertThat(unwilling.query("SET progress_report_time = 0").failed())
                        .isFalse();
            } else {
                unreported.add(setup.client(REPORTED | Capability.CLIENT_MYSQL));
            }
            setup.hold();
            for (BinaryClient client : unreported) {
                client.sendQuery(SlowTables.SHORT);
            }
            setup.awaitHeld(6);
            if (flavor.isMariaDb()) {
                // the third statement began last and gets two reports
                timer.sendQuery(SlowTables.SHORT);
                for (int i = 0; i < 2; i++) {
                    assertThat(isReport(timer.read())).isTrue();
                }
            } else {
                assertThat(timer.query("SELECT SLEEP(2)").failed()).isFalse();
            }
            setup.faults().disarm();
            setup.faults().release(1_000);
            for (BinaryClient client : unreported) {
                byte[] head = client.read();
                assertThat(head).containsExactly(2);
                assertThat(client.sequence()).isEqualTo(1);
                assertThat(text(client.answer(head))).containsExactly("990000|20000");
                client.close();
            }
        }
    }

    /** The server's own reports for statements that pass through are relayed unchanged. */
    @OnServers(ServerName.MARIADB)
    void reportsOfTheServerAreRelayed(TestServer server) throws Exception {
        try (Setup setup = Setup.start(server);
                BinaryClient proxied = setup.client(REPORTED);
                BinaryClient direct = new BinaryClient(server.host(), server.port(), REPORTED)) {
            assertThat(direct.query("USE it_slow").failed()).isFalse();
            for (BinaryClient client : List.of(direct, proxied)) {
                client.sendQuery("ALTER TABLE other FORCE, ALGORITHM=COPY");
                List<String> texts = new ArrayList<>();
                byte[] packet = client.read();
                for (int sequence = 1; isReport(packet); packet = client.read()) {
                    assertThat(client.sequence()).isEqualTo(sequence++);
                    texts.add(report(packet).text());
                }
                assertThat(texts).contains("copy to tmp table");
                assertThat(packet[0]).isZero();
                assertThat(client.sequence()).isEqualTo(texts.size() + 1);
            }
        }
    }
}
