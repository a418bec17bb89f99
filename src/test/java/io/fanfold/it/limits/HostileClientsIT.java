package io.fanfold.it.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.it.support.client.BinaryClient;
import io.fanfold.it.support.client.BinaryClient.Prepared;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.data.SmallTable;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.proxy.SmallProxy;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.wire.Algorithm;
import io.fanfold.wire.Capability;
import io.fanfold.wire.Codec;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PayloadWriter;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Attacks the proxy while other clients work. The others may only be slower: none gets an error, a wrong answer, or a
 * long wait. After the attack the proxy has released its memory. The test prints how much slower the others were. What the
 * proxy limits does not depend on the server, so there is only one.
 *
 * <p>Each attack takes a second; {@code -Dfanfold.it.storm.seconds=60} for longer. {@code -Dfanfold.it.hostile.direct=true}
 * prints the same figures for the server without the proxy.
 */
@OnServers(ServerName.MYSQL)
class HostileClientsIT {
    private static final long SECONDS = Long.getLong("fanfold.it.storm.seconds", 1);

    private static final int BYSTANDERS = 4;
    private static final int ENOUGH = 12;

    /** The longest allowed wait for an answer while all processors are busy. */
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Memory that may be kept for reuse. */
    private static final long MEMORY = 64L << 20;

    private static final long SMALL_MEMORY = 8L << 20;
    private static final int PACKET = 16_500_000;

    private static final String PADDED =
            "SELECT COUNT(*) FROM it_hostile.t WHERE id < ? /* " + "x".repeat(30_000) + " */";

    private static final byte[] PING = command(new byte[] {CommandCode.PING});
    private static final byte[] RESET = command(new byte[] {CommandCode.RESET_CONNECTION});

    private static final TestDatabase DATABASE = new TestDatabase("it_hostile", SmallTable::create);
    private static final ResourceLeakDetector.Level LEVEL = ResourceLeakDetector.getLevel();

    private final TestServer server;

    /** Starts the attackers. */
    interface Attack {
        void begin(Attackers attackers) throws Exception;
    }

    HostileClientsIT(TestServer server) {
        this.server = server;
    }

    /** Recording each access to a buffer makes millions of commands a hundred times slower. */
    @BeforeAll
    static void noteFewBuffers() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
    }

    @AfterAll
    static void noteAsBefore() {
        ResourceLeakDetector.setLevel(LEVEL);
    }

    // ---- the attacks ----

    @Test
    void framesThatInflateToMillionsOfCommands() throws Exception {
        for (Algorithm algorithm : Algorithm.values()) {
            survives(algorithm + " frames of commands", inflating(algorithm, 4));
        }
    }

    private static Attack inflating(Algorithm algorithm, int clients) throws IOException {
        byte[] frame = frame(algorithm, repeated(PING, PACKET));
        assertThat(frame.length).isLessThan(64 * 1024);
        long capability = algorithm == Algorithm.ZLIB ? Capability.COMPRESS : Capability.ZSTD_COMPRESSION;
        return attackers -> attackers.start(clients, number -> {
            try (BinaryClient client = attackers.login(capability)) {
                if (number % 2 == 0) {
                    attackers.drain(client);
                }
                attackers.flood(client, frame);
            }
        });
    }

    @Test
    void commandsWithoutEndWhoseAnswersNobodyReads() throws Exception {
        survives("pings", flood(repeated(PING, 1 << 16)));
        for (String sql : List.of("DO 0", "SELECT COUNT(*) FROM it_hostile.t")) {
            survives("commands '" + sql + "'", flood(repeated(query(sql), 1 << 16)));
        }
    }

    @Test
    void statementsPreparedWithoutEnd() throws Exception {
        for (String sql : List.of("SELECT 1", PADDED)) {
            byte[] prepare = prepare(sql);
            byte[] all = joined(repeated(prepare, 200 * prepare.length), RESET);
            survives("prepared statements of " + sql.length() + " bytes", flood(all));
        }
    }

    /** Some attackers read all answers, some read slowly, and some read nothing. */
    private static Attack flood(byte[] commands) {
        return attackers -> attackers.start(8, number -> {
            try (BinaryClient client = attackers.login(0)) {
                if (number % 4 == 0) {
                    attackers.drain(client);
                } else if (number % 4 == 1) {
                    attackers.drainSlowly(client);
                }
                attackers.flood(client, commands);
            }
        });
    }

    @Test
    void settingsRepeatedInLongTexts() throws Exception {
        List<String> texts = List.of(
                "SET " + "session_track_system_variables= ".repeat(2000),
                "SET @@session." + "session_track_gtids=  ".repeat(2900),
                "SET " + "session_track_system_variables='x',".repeat(1800) + "@a=1",
                "SET " + " ".repeat(65_000));
        survives(
                "settings",
                attackers -> attackers.start(texts.size(), number -> {
                    try (BinaryClient client = attackers.login(Capability.SESSION_TRACK)) {
                        attackers.drain(client);
                        attackers.flood(client, query(texts.get(number)));
                    }
                }));
    }

    @Test
    void handshakesThatDoNotEnd() throws Exception {
        byte[] request = framed(
                1,
                new PayloadWriter()
                        .int4((BinaryClient.USUAL | Capability.SSL) & 0xffff_ffffL)
                        .int4(1 << 24)
                        .int1(45)
                        .bytes(new byte[23])
                        .toBytes());
        // the first bytes of a TLS ClientHello that announces 512 bytes
        byte[] hello = {0x16, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3};
        survives(
                "handshakes",
                attackers -> attackers.start(20, number -> {
                    try (Socket socket = attackers.connect()) {
                        OutputStream out = socket.getOutputStream();
                        switch (number % 4) {
                            case 0 -> {
                                out.write(joined(request, hello));
                                TimeUnit.MILLISECONDS.sleep(50);
                            }
                            case 1 -> {
                                for (byte part : request) {
                                    out.write(part);
                                    TimeUnit.MILLISECONDS.sleep(5);
                                }
                            }
                            case 2 -> {
                                out.write(request, 0, 20);
                                TimeUnit.MILLISECONDS.sleep(200);
                            }
                            default -> {
                                out.write(framed(1, new byte[0xffff]));
                                TimeUnit.MILLISECONDS.sleep(20);
                            }
                        }
                    }
                }));
    }

    @Test
    void usersChangedAndConnectionsReset() throws Exception {
        survives("COM_RESET_CONNECTION", flood(repeated(RESET, 1 << 16)));
        byte[] change = command(new PayloadWriter()
                .int1(CommandCode.CHANGE_USER)
                .nulTerminated(BinaryClient.USER)
                .int1(0)
                .nulTerminated("")
                .int2(45)
                .nulTerminated("mysql_native_password")
                .toBytes());
        survives("COM_CHANGE_USER", flood(repeated(change, 1 << 14)));
    }

    /** Kills connections of another account without the right to do so. */
    @Test
    void killsOfOthers() throws Exception {
        survives(
                "kills",
                attackers -> attackers.start(8, number -> {
                    try (BinaryClient client = attackers.login(0)) {
                        attackers.drain(client);
                        for (int id = 1; attackers.goOn(); id = id % 5000 + 1) {
                            client.writeRaw(query((id % 2 == 0 ? "KILL QUERY " : "KILL CONNECTION ") + id));
                        }
                    }
                }));
    }

    @Test
    void textsThatAreHardToRead() throws Exception {
        List<String> parts = List.of(
                "/*",
                "(",
                "'",
                "`",
                "((SELECT ",
                "CASE WHEN ",
                "/*!",
                "-- \n",
                "1+",
                "a.",
                "''",
                "\\",
                "/*+*/",
                "f(a)+");
        String head = "SELECT COUNT(*) FROM it_hostile.t WHERE id < ";
        AtomicInteger turns = new AtomicInteger();
        survives(
                "texts that are looked at",
                attackers -> attackers.start(4, number -> {
                    try (BinaryClient client = attackers.login(0)) {
                        while (attackers.goOn()) {
                            int turn = turns.getAndIncrement();
                            String part = parts.get(turn % parts.size());
                            // one at a time, because the proxy does not analyze pipelined statements; every text
                            // differs
                            String sql = head + turn + " + " + part.repeat((4_000 << turn % 5) / part.length() - 40);
                            client.query(sql);
                        }
                    }
                }));
        survives(
                "texts that are too long",
                attackers -> attackers.start(4, number -> {
                    try (BinaryClient client = attackers.login(0)) {
                        attackers.drain(client);
                        while (attackers.goOn()) {
                            String part = parts.get(turns.getAndIncrement() % parts.size());
                            client.writeRaw(query(head + part.repeat((2 << 20) / part.length())));
                        }
                    }
                }));
    }

    @Test
    void executionsWithManyParametersAndValuesWithoutEnd() throws Exception {
        int parameters = 20_000;
        String sql = "SELECT COUNT(*) FROM it_hostile.t WHERE id IN (?" + ",?".repeat(parameters - 1) + ")";
        List<BinaryClient.Parameter> values =
                Collections.nCopies(parameters, new BinaryClient.Parameter(3, new byte[] {1, 0, 0, 0}));
        survives(
                "executions",
                attackers -> attackers.start(4, number -> {
                    try (BinaryClient client = attackers.login(0)) {
                        Prepared prepared = client.prepare(sql);
                        byte[] execution = command(client.execution(prepared.id(), 0, true, values));
                        attackers.drain(client);
                        attackers.flood(client, execution);
                    }
                }));
        List<Integer> lengths = List.of(0, 1, 60_000, 1 << 20);
        survives(
                "long data",
                attackers -> attackers.start(8, number -> {
                    try (BinaryClient client = attackers.login(0)) {
                        Prepared prepared = client.prepare("SELECT COUNT(*) FROM it_hostile.t WHERE name = ?");
                        byte[] value = command(ofStatement(CommandCode.STMT_SEND_LONG_DATA, prepared)
                                .int2(0)
                                .bytes(new byte[lengths.get(number % lengths.size())])
                                .toBytes());
                        byte[] reset = command(
                                ofStatement(CommandCode.STMT_RESET, prepared).toBytes());
                        attackers.drain(client);
                        // the server also keeps at most max_allowed_packet of it
                        attackers.flood(client, joined(repeated(value, Math.max(1 << 20, value.length)), reset));
                    }
                }));
    }

    /** A short query that returns millions of the smallest packets. */
    @Test
    void answersOfVeryManyRows() throws Exception {
        String digits = "(SELECT 1 x" + " UNION ALL SELECT 1".repeat(9) + ")";
        StringBuilder from = new StringBuilder(digits + " d0");
        for (int i = 1; i < 6; i++) {
            from.append(", ").append(digits).append(" d").append(i);
        }
        byte[] query = query("SELECT '' FROM " + from);
        survives(
                "very many rows",
                attackers -> attackers.start(8, number -> {
                    try (BinaryClient client = attackers.login(0)) {
                        attackers.drain(client);
                        attackers.flood(client, query);
                    }
                }));
    }

    /** More clients than the heap could serve if the proxy kept everything that each of them sends. */
    @Test
    void allAtOnceBeforeASmallProcess() throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 2)) {
            createAttacker(same.proxy());
            SlowTables.create(same.proxy());
        }
        try (SmallProxy proxy = SmallProxy.start(server);
                Bystanders others = new Bystanders(BYSTANDERS, proxy::connect);
                Attackers attackers = new Attackers("127.0.0.1", proxy.port())) {
            others.await(Bystanders.Time.BEFORE, ENOUGH, LIMIT.toSeconds());
            try (WireConnection client = proxy.connect()) {
                // the first split loads the parser, which stays in memory
                proxy.awaitSplit(client);
            }
            long heap = proxy.heapBytes();
            others.now(Bystanders.Time.ATTACK);
            for (Algorithm algorithm : Algorithm.values()) {
                inflating(algorithm, 10).begin(attackers);
            }
            flood(repeated(query("DO 0"), 1 << 16)).begin(attackers);
            flood(joined(repeated(prepare(PADDED), 4 << 20), RESET)).begin(attackers);
            try {
                others.await(Bystanders.Time.ATTACK, ENOUGH, LIMIT.toSeconds());
            } catch (Exception e) {
                throw new AssertionError("the proxy said: " + proxy.log(), e);
            }
            attackers.end();
            others.now(Bystanders.Time.AFTER);
            others.await(Bystanders.Time.AFTER, ENOUGH, LIMIT.toSeconds());
            others.end();
            System.out.printf("all at once before a small process, %s:%s%n", server.name(), others.report());
            await().atMost(LIMIT)
                    .untilAsserted(
                            () -> assertThat(proxy.heapBytes()).as("heap").isLessThan(heap + SMALL_MEMORY));
            assertThat(proxy.log()).doesNotContain("OutOfMemory", "LEAK");
            try (WireConnection client = proxy.connect()) {
                proxy.awaitSplit(client);
            }
        }
    }

    // ---- what the attackers send ----

    private static byte[] query(String sql) {
        return text(CommandCode.QUERY, sql);
    }

    private static byte[] prepare(String sql) {
        return text(CommandCode.STMT_PREPARE, sql);
    }

    private static byte[] text(int code, String sql) {
        return command(new PayloadWriter()
                .int1(code)
                .bytes(sql.getBytes(StandardCharsets.UTF_8))
                .toBytes());
    }

    private static PayloadWriter ofStatement(int code, Prepared prepared) {
        return new PayloadWriter().int1(code).int4(prepared.id());
    }

    private static byte[] command(byte[] payload) {
        return framed(0, payload);
    }

    private static byte[] framed(int sequence, byte[] payload) {
        return new PayloadWriter()
                .int3(payload.length)
                .int1(sequence)
                .bytes(payload)
                .toBytes();
    }

    /** Repeats the bytes as often as they fit completely into the given length. */
    private static byte[] repeated(byte[] bytes, int length) {
        byte[] all = new byte[Math.max(1, length / bytes.length) * bytes.length];
        for (int at = 0; at < all.length; at += bytes.length) {
            System.arraycopy(bytes, 0, all, at, bytes.length);
        }
        return all;
    }

    private static byte[] joined(byte[] bytes, byte[] more) {
        byte[] all = Arrays.copyOf(bytes, bytes.length + more.length);
        System.arraycopy(more, 0, all, bytes.length, more.length);
        return all;
    }

    private static byte[] frame(Algorithm algorithm, byte[] content) throws IOException {
        try (Codec codec = algorithm.codec()) {
            byte[] compressed = codec.compress(content, 0, content.length);
            return new PayloadWriter()
                    .int3(compressed.length)
                    .int1(0)
                    .int3(content.length)
                    .bytes(compressed)
                    .toBytes();
        }
    }

    // ---- what the other clients notice ----

    private void survives(String name, Attack attack) throws Exception {
        ProxySetup.Tls tls = new ProxySetup.Tls(
                ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.PREFERRED),
                BackendTlsConfig.of(BackendTlsConfig.BackendTlsMode.DISABLED),
                BackendConfig.ServerCompression.AS_CLIENT);
        try (SameAsServer same =
                DATABASE.compared(server, ProxySetup.ofDegree(2).withTls(tls))) {
            ProxiedServer proxy = same.proxy();
            createAttacker(proxy);
            if (Boolean.getBoolean("fanfold.it.hostile.direct")) {
                Attackers attackers = new Attackers(server.host(), server.port());
                survives(name + " at the server itself", attack, proxy, proxy::direct, attackers);
            }
            Attackers attackers = new Attackers("127.0.0.1", proxy.port());
            Bystanders others = survives(name, attack, proxy, proxy::proxied, attackers);
            assertThat(Duration.ofNanos(others.longest(Bystanders.Time.ATTACK)))
                    .as("the longest that anybody waited")
                    .isLessThan(LONGEST);
            same.fansOut("SELECT SUM(v), COUNT(*) FROM t");
        }
    }

    private Bystanders survives(
            String name, Attack attack, ProxiedServer proxy, Bystanders.Source source, Attackers attacking)
            throws Exception {
        int sessions = proxy.sessions();
        try (Bystanders others = new Bystanders(BYSTANDERS, source);
                Attackers attackers = attacking) {
            others.await(Bystanders.Time.BEFORE, ENOUGH, LIMIT.toSeconds());
            proxy.forget();
            long heap = heap();
            long direct = direct();
            others.now(Bystanders.Time.ATTACK);
            attack.begin(attackers);
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            while (System.nanoTime() - deadline < 0) {
                others.requireServed();
                proxy.forget();
                TimeUnit.MILLISECONDS.sleep(10);
            }
            others.await(Bystanders.Time.ATTACK, ENOUGH, LIMIT.toSeconds());
            long during = direct();
            attackers.end();
            others.now(Bystanders.Time.AFTER);
            others.await(Bystanders.Time.AFTER, ENOUGH, LIMIT.toSeconds());
            others.end();
            System.out.printf(
                    "%s, %s, %d MiB written:%s%n  direct memory: %d, %d, %d MiB%n",
                    name,
                    server.name(),
                    attackers.written() >> 20,
                    others.report(),
                    direct >> 20,
                    during >> 20,
                    direct() >> 20);
            await().atMost(LIMIT)
                    .untilAsserted(
                            () -> assertThat(proxy.sessions()).as("sessions").isLessThanOrEqualTo(sessions));
            proxy.forget();
            await().atMost(LIMIT).untilAsserted(() -> {
                assertThat(direct()).as("direct memory").isLessThan(direct + MEMORY);
                assertThat(heap()).as("heap").isLessThan(heap + MEMORY);
            });
            return others;
        }
    }

    /** Creates an account with rights to its own database only. */
    private static void createAttacker(ProxiedServer proxy) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            // other tests grant it all rights, including killing others' connections
            admin.execute("DROP USER IF EXISTS '" + BinaryClient.USER + "'@'%'");
            admin.execute("CREATE USER '" + BinaryClient.USER + "'@'%' IDENTIFIED BY ''");
            admin.execute("GRANT ALL ON it_hostile.* TO '" + BinaryClient.USER + "'@'%'");
        }
    }

    private static long heap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Direct memory of all buffers, including those kept for reuse. */
    private static long direct() {
        return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT)
                .metric()
                .usedDirectMemory();
    }
}
