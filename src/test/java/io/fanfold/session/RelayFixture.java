package io.fanfold.session;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.LimitsConfig;
import io.fanfold.config.LimitsConfigBuilder;
import io.fanfold.config.ListenerConfig;
import io.fanfold.it.support.proxy.PlainProxy;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.reason.Reason;
import io.fanfold.server.ProxyServer;
import io.fanfold.session.command.KillRecognizer;
import io.fanfold.wire.Capability;
import io.fanfold.wire.PayloadWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;

/** A proxy in front of a scripted server, with a dispatcher whose requests the test handles. */
public final class RelayFixture implements AutoCloseable {
    public static final long CLIENT = Capability.CLIENT_MYSQL
            | Capability.PROTOCOL_41
            | Capability.SECURE_CONNECTION
            | Capability.PLUGIN_AUTH
            | Capability.TRANSACTIONS;

    public final RecordingDispatcher dispatcher = new RecordingDispatcher();
    final List<Reason> passedThrough = new CopyOnWriteArrayList<>();

    /** Whether each connection to the server has been opened. */
    final List<Boolean> serverConnections = new CopyOnWriteArrayList<>();

    private final ScriptedServer server;
    private final PlainProxy proxy;

    public RelayFixture(ScriptedServer.Script script) throws IOException, InterruptedException {
        this(script, limits(10_000, Duration.ofSeconds(30)));
    }

    public RelayFixture(ScriptedServer.Script script, LimitsConfig limits) throws IOException, InterruptedException {
        this(script, new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO), limits);
    }

    RelayFixture(ScriptedServer.Script script, ListenerConfig listener, LimitsConfig limits)
            throws IOException, InterruptedException {
        this(script, listener, limits, BackendConfig.ProxyProtocol.OFF);
    }

    RelayFixture(
            ScriptedServer.Script script,
            ListenerConfig listener,
            LimitsConfig limits,
            BackendConfig.ProxyProtocol sent)
            throws IOException, InterruptedException {
        this(script, listener, limits, sent, BackendTlsConfig.of(BackendTlsConfig.BackendTlsMode.DISABLED));
    }

    RelayFixture(
            ScriptedServer.Script script,
            ListenerConfig listener,
            LimitsConfig limits,
            BackendConfig.ProxyProtocol sent,
            BackendTlsConfig backendTls)
            throws IOException, InterruptedException {
        server = new ScriptedServer(script);
        BackendConfig backend = PlainProxy.before("127.0.0.1", server.port())
                .withConnectTimeout(Duration.ofSeconds(5))
                .withProxyProtocol(sent)
                .withTls(backendTls);
        proxy = proxy(PlainProxy.config(listener, backend).withLimits(limits));
    }

    public static LimitsConfig limits(int connections, Duration patience) {
        return LimitsConfigBuilder.builder(LimitsConfig.defaults())
                .statementBytes(1024)
                .connections(connections)
                .slowClient(patience)
                .handshakeTimeout(patience)
                .drainTime(patience)
                .build();
    }

    private PlainProxy proxy(FanfoldConfig config) throws IOException, InterruptedException {
        FanfoldMetrics metrics = new FanfoldMetrics() {
            @Override
            public void passedThrough(Reason reason) {
                passedThrough.add(reason);
            }

            @Override
            public void serverConnection(boolean opened) {
                serverConnections.add(opened);
            }
        };
        KillRecognizer kills = (sql, offset, length) -> length == 6 && sql[offset] == 'K'
                ? OptionalLong.of(Integer.parseInt(new String(sql, offset + 5, 1, StandardCharsets.US_ASCII)))
                : OptionalLong.empty();
        return PlainProxy.start(config, dispatcher, kills, metrics);
    }

    ProxyServer proxy() {
        return proxy.server();
    }

    public Wire connect() throws IOException {
        return Wire.connect(proxy.port());
    }

    /** Connects and logs in a client with these additional capabilities. */
    public Wire login(long capabilities) throws IOException {
        Wire client = connect();
        client.read();
        client.write(1, response(CLIENT | capabilities));
        Wire.Packet ok = client.read();
        if (ok.first() != 0) {
            throw new AssertionError("not let in");
        }
        return client;
    }

    public static byte[] response(long capabilities) {
        return new PayloadWriter()
                .int4(capabilities & 0xffff_ffffL)
                .int4(1 << 24)
                .int1(45)
                .bytes(new byte[19])
                .int4(capabilities >>> 32)
                .nulTerminated("someone")
                .lenencBytes(new byte[20])
                .nulTerminated("mysql_native_password")
                .toBytes();
    }

    @Override
    public void close() throws IOException, InterruptedException {
        proxy.close();
        server.close();
        if (!server.failures().isEmpty()) {
            throw new AssertionError(
                    "the scripted server failed", server.failures().get(0));
        }
    }
}
