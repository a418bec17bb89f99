package io.fanfold.it.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.BinaryClient;
import io.fanfold.it.support.client.BinaryClient.Answer;
import io.fanfold.it.support.client.BinaryClient.Prepared;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.client.SameInBinary;
import io.fanfold.it.support.data.SmallTable;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.row.Row;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ServerFlavor;
import io.fanfold.wire.ServerPacket;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Accounts with an expired password: logins, errors and the sandbox are the same as direct on the server, until the
 * password is changed.
 */
class ExpiredPasswordIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_expired", "", SmallTable::create);

    private static final String USER = "fanfold_expired";

    /** CLIENT_CAN_HANDLE_EXPIRED_PASSWORDS. */
    private static final long ABLE = 1L << 22;

    private static final int MUST_CHANGE = 1820;
    private static final int MUST_CHANGE_TO_LOG_IN = 1862;

    private static final String SUM = "SELECT SUM(v), COUNT(*) FROM it_expired.t";

    private static void expire(WireConnection admin) throws Exception {
        admin.execute("DROP USER IF EXISTS " + USER);
        admin.execute("CREATE USER " + USER + " IDENTIFIED BY ''");
        admin.execute("GRANT ALL ON *.* TO " + USER);
        admin.execute("ALTER USER " + USER + " PASSWORD EXPIRE");
    }

    private static List<String> shown(Answer answer) {
        List<String> lines = new ArrayList<>();
        for (byte[] packet : answer.others()) {
            if ((packet[0] & 0xff) == ServerPacket.ERROR) {
                lines.add(error(packet));
            }
        }
        answer.rows()
                .forEach(row ->
                        lines.add(Row.of(row, answer.definitions().size()).toString()));
        return lines;
    }

    private static String error(byte[] packet) {
        try {
            ServerPacket.Err error = ServerPacket.Err.decode(packet);
            return error.code() + " " + error.sqlState() + " " + error.message();
        } catch (ProtocolException e) {
            return e.toString();
        }
    }

    /** MariaDB refuses to prepare, MySQL to execute. */
    private static String prepared(BinaryClient client) throws Exception {
        Prepared prepared;
        try {
            prepared = client.prepare(SUM);
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
        return String.valueOf(shown(client.execute(prepared.id(), List.of())));
    }

    /** Returns everything that a client sees; the proxy is null for a client direct on the server. */
    private static List<String> seen(String host, int port, @Nullable ProxiedServer proxy, String change)
            throws Exception {
        List<String> seen = new ArrayList<>();
        try (BinaryClient client = new BinaryClient(host, port, BinaryClient.USUAL | ABLE, USER)) {
            for (String sql : List.of(SUM, "SELECT 1", "USE it_expired", SUM, "SET @x = 1")) {
                if (proxy != null) {
                    proxy.forget();
                }
                seen.add(sql + ": " + shown(client.query(sql)));
                if (proxy != null && sql.equals(SUM)) {
                    assertThat(proxy.outcome().reason())
                            .as("an expired password")
                            .isEqualTo(Reason.SESSION_VARIABLE);
                }
            }
            seen.add("prepared: " + prepared(client));
            seen.add("ping: " + client.single(new byte[] {CommandCode.PING})[0]);
            seen.add(change + ": " + shown(client.query(change)));
            if (proxy != null) {
                proxy.forget();
            }
            seen.add(SUM + ": " + shown(client.query(SUM)));
            if (proxy != null) {
                assertThat(proxy.outcome().reason()).as("a password changed").isNull();
            }
            long id = client.prepare(SUM + " WHERE id < ?").id();
            seen.add("execute: "
                    + client.execute(id, List.of(SameInBinary.integer(50)))
                            .rows()
                            .size());
            if (proxy != null) {
                assertThat(proxy.outcome().reason()).as("an execution").isNull();
            }
        }
        return seen;
    }

    @AllServers
    void theSandboxIsTheServers(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 3);
                WireConnection admin = same.proxy().direct()) {
            try {
                // MariaDB accepts nothing else
                List<String> changes = server.kind() == ServerFlavor.MARIADB
                        ? List.of("SET PASSWORD = PASSWORD('new')")
                        : List.of("SET PASSWORD = 'new'", "ALTER USER " + USER + " IDENTIFIED BY 'new'");
                for (String sql : changes) {
                    expire(admin);
                    List<String> expected = seen(server.host(), server.port(), null, sql);
                    assertThat(expected.get(0)).startsWith(SUM + ": [" + MUST_CHANGE + " ");
                    expire(admin);
                    assertThat(seen("127.0.0.1", same.proxy().port(), same.proxy(), sql))
                            .isEqualTo(expected);
                }
            } finally {
                admin.execute("DROP USER IF EXISTS " + USER);
            }
        }
    }

    private static String refusal(String host, int port, long capabilities) throws Exception {
        try (BinaryClient client = new BinaryClient(host, port, capabilities, USER)) {
            return "let in: " + shown(client.query(SUM));
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** MariaDB refuses them only if configured to. */
    @AllServers
    void clientsThatCannotChangeItAreRefused(TestServer server) throws Exception {
        ServerFlavor flavor = server.kind();
        try (SameAsServer same = DATABASE.compared(server, 3);
                WireConnection admin = same.proxy().direct()) {
            try {
                expire(admin);
                for (String disconnects : flavor.isMariaDb() ? List.of("OFF", "ON") : List.of("ON")) {
                    if (flavor.isMariaDb()) {
                        admin.execute("SET GLOBAL disconnect_on_expired_password = " + disconnects);
                    }
                    for (long capabilities : List.of(BinaryClient.USUAL, BinaryClient.USUAL | ABLE)) {
                        String expected = refusal(server.host(), server.port(), capabilities);
                        assertThat(refusal("127.0.0.1", same.proxy().port(), capabilities))
                                .as("%s, %x", disconnects, capabilities)
                                .isEqualTo(expected);
                        boolean refused = disconnects.equals("ON") && capabilities == BinaryClient.USUAL;
                        assertThat(expected).contains(String.valueOf(refused ? MUST_CHANGE_TO_LOG_IN : MUST_CHANGE));
                    }
                }
            } finally {
                admin.execute("DROP USER IF EXISTS " + USER);
                if (flavor.isMariaDb()) {
                    admin.execute("SET GLOBAL disconnect_on_expired_password = DEFAULT");
                }
            }
        }
    }
}
