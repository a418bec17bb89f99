package io.fanfold.it.support.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.BinaryClient.Answer;
import io.fanfold.it.support.client.BinaryClient.Parameter;
import io.fanfold.it.support.client.BinaryClient.Prepared;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ServerPacket;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Compares prepared statements executed direct and through the proxy, packet by packet: definitions, binary rows, and
 * all packets between and after them. The status flags about indexes are ignored. Each comparison states whether the
 * execution must fan out.
 */
public final class SameInBinary implements AutoCloseable {
    /** SERVER_QUERY_NO_GOOD_INDEX_USED, SERVER_QUERY_NO_INDEX_USED, SERVER_QUERY_WAS_SLOW. */
    private static final int OF_INDEXES = 0x10 | 0x20 | 0x800;

    private final ProxiedServer proxy;
    private final BinaryClient direct;
    private final BinaryClient proxied;
    private final Map<String, Prepared[]> statements = new HashMap<>();

    public SameInBinary(ProxiedServer proxy, String database) throws Exception {
        this(proxy, database, BinaryClient.USUAL);
    }

    public SameInBinary(ProxiedServer proxy, String database, long capabilities) throws Exception {
        this.proxy = proxy;
        try (WireConnection admin = proxy.direct()) {
            admin.execute("CREATE USER IF NOT EXISTS '" + BinaryClient.USER + "'@'%' IDENTIFIED BY ''");
            admin.execute("GRANT ALL ON *.* TO '" + BinaryClient.USER + "'@'%'");
        }
        direct = new BinaryClient(proxy.server().host(), proxy.server().port(), capabilities);
        proxied = new BinaryClient("127.0.0.1", proxy.port(), capabilities);
        onBoth("USE " + database);
    }

    public ProxiedServer proxy() {
        return proxy;
    }

    public BinaryClient direct() {
        return direct;
    }

    public BinaryClient proxied() {
        return proxied;
    }

    /** Runs a statement on both connections, for example USE or SET. */
    public void onBoth(String sql) throws IOException {
        for (BinaryClient client : List.of(direct, proxied)) {
            assertThat(client.query(sql).failed()).as(sql).isFalse();
        }
        proxy.forget();
    }

    /** Prepares on both connections and requires the same answer. */
    public void prepare(String sql) throws IOException {
        Prepared one = direct.prepare(sql);
        Prepared other = proxied.prepare(sql);
        assertThat(hex(other.columns())).as("columns of %s", sql).isEqualTo(hex(one.columns()));
        assertThat(hex(other.parameters())).as("parameters of %s", sql).isEqualTo(hex(one.parameters()));
        statements.put(sql, new Prepared[] {one, other});
    }

    /** Requires the same answer by fan-out. */
    public void fansOut(String sql, Parameter... parameters) throws Exception {
        ProxiedServer.Outcome outcome = outcome(sql, List.of(parameters), true);
        assertThat(outcome.reason()).as("reason for passing through: %s", sql).isNull();
        assertThat(outcome.partitions()).as("partitions of %s", sql).isGreaterThan(1);
    }

    /**
     * Requires the same answer, by fan-out or passed through for the given reason. Closes the statement afterwards,
     * because a session remembers only a limited number. Returns whether it fanned out.
     */
    public boolean fansOutUnless(Reason reason, String sql) throws Exception {
        ProxiedServer.Outcome outcome = outcomeOnce(sql);
        assertThat(outcome.fannedOut() || outcome.reason() == reason)
                .as("%s: %s", outcome.reason(), sql)
                .isTrue();
        return outcome.fannedOut();
    }

    /** Prepares, executes and closes a statement that the proxy does not need to analyze. Requires the same answer. */
    public void sameOnce(String sql) throws Exception {
        try {
            prepare(sql);
        } catch (IOException refused) {
            assertThatThrownBy(() -> proxied.prepare(sql)).hasMessage(refused.getMessage());
            return;
        }
        same(sql, List.of(), true);
        close(sql);
    }

    private void close(String sql) throws IOException {
        direct.send(CommandCode.STMT_CLOSE, id(sql, 0), new byte[0]);
        proxied.send(CommandCode.STMT_CLOSE, id(sql, 1), new byte[0]);
        statements.remove(sql);
    }

    /** Like {@link #fansOut}, with the types of the previous execution. */
    public void fansOutAgain(String sql, Parameter... parameters) throws Exception {
        ProxiedServer.Outcome outcome = outcome(sql, List.of(parameters), false);
        assertThat(outcome.reason()).as("reason for passing through: %s", sql).isNull();
    }

    /** Requires the same answer, passed through for the given reason. */
    public void passesThrough(Reason reason, String sql, Parameter... parameters) throws Exception {
        assertThat(outcome(sql, List.of(parameters), true).reason())
                .as("what was done with %s", sql)
                .isEqualTo(reason);
    }

    /** Like {@link #passesThrough}, with the types of the previous execution. */
    public void passesThroughAgain(Reason reason, String sql, Parameter... parameters) throws Exception {
        assertThat(outcome(sql, List.of(parameters), false).reason())
                .as("what was done with %s", sql)
                .isEqualTo(reason);
    }

    private ProxiedServer.Outcome outcome(String sql, List<Parameter> parameters, boolean types) throws Exception {
        if (!statements.containsKey(sql)) {
            prepare(sql);
        }
        proxy.forget();
        same(sql, parameters, types);
        return proxy.outcome();
    }

    /** Prepares, executes and closes a statement. Requires the same answer and returns the outcome. */
    public ProxiedServer.Outcome outcomeOnce(String sql, Parameter... parameters) throws Exception {
        ProxiedServer.Outcome outcome = outcome(sql, List.of(parameters), true);
        close(sql);
        return outcome;
    }

    /** Requires the same answer by any route, and returns the outcome. */
    public ProxiedServer.Outcome outcome(String sql, Parameter... parameters) throws Exception {
        return outcome(sql, List.of(parameters), true);
    }

    /** Like {@link #outcome}, with the types of the previous execution. */
    public ProxiedServer.Outcome outcomeAgain(String sql, Parameter... parameters) throws Exception {
        return outcome(sql, List.of(parameters), false);
    }

    private void same(String sql, List<Parameter> parameters, boolean types) throws Exception {
        Prepared @Nullable [] both = statements.get(sql);
        if (both == null) {
            throw new IllegalStateException("not prepared: " + sql);
        }
        Answer expected = execute(direct, both[0], parameters, types);
        Answer actual = execute(proxied, both[1], parameters, types);
        assertSame(sql, expected, actual);
    }

    /** Executes a statement that the proxy does not analyze, and requires the same answer. */
    public void executed(String sql) throws Exception {
        same(sql, List.of(), true);
    }

    /** Sends a parameter's value as long data. */
    public void longData(String sql, int parameter, String value) throws IOException {
        if (!statements.containsKey(sql)) {
            prepare(sql);
        }
        byte[] rest = new PayloadWriter()
                .int2(parameter)
                .bytes(value.getBytes(StandardCharsets.UTF_8))
                .toBytes();
        direct.send(CommandCode.STMT_SEND_LONG_DATA, id(sql, 0), rest);
        proxied.send(CommandCode.STMT_SEND_LONG_DATA, id(sql, 1), rest);
    }

    /** Drops long data sent before. */
    public void reset(String sql) throws IOException {
        direct.send(CommandCode.STMT_RESET, id(sql, 0), new byte[0]);
        proxied.send(CommandCode.STMT_RESET, id(sql, 1), new byte[0]);
        direct.read();
        proxied.read();
    }

    private long id(String sql, int which) {
        Prepared @Nullable [] both = statements.get(sql);
        if (both == null) {
            throw new IllegalStateException("not prepared: " + sql);
        }
        return both[which].id();
    }

    private List<String> shown(Answer answer) throws Exception {
        List<String> shown = new ArrayList<>();
        for (byte[] definition : answer.definitions()) {
            shown.add(SameAsServer.shown(
                    ServerPacket.column(definition, direct.capabilities()),
                    proxy.server().kind()));
        }
        return shown;
    }

    private static Answer execute(BinaryClient client, Prepared statement, List<Parameter> parameters, boolean types)
            throws IOException {
        return types ? client.execute(statement.id(), parameters) : client.executeAgain(statement.id(), parameters);
    }

    /**
     * Requires equal answers. The order of rows is ignored if the statement has none, and so are properties of
     * definitions that depend on the server's plan.
     */
    public void assertSame(String sql, Answer expected, Answer actual) throws Exception {
        assertThat(shown(actual)).as("definitions of %s", sql).isEqualTo(shown(expected));
        assertThat(plain(actual.others()))
                .as("packets beside the rows of %s", sql)
                .isEqualTo(plain(expected.others()));
        boolean ordered = sql.toLowerCase(Locale.ROOT).contains("order by");
        assertThat(rows(actual, ordered)).as("rows of %s", sql).isEqualTo(rows(expected, ordered));
    }

    /** Requires equal answers, including definitions. */
    public static void assertSameText(String sql, Answer expected, Answer actual) {
        assertThat(hex(actual.definitions())).as("definitions of %s", sql).isEqualTo(hex(expected.definitions()));
        assertThat(plain(actual.others()))
                .as("packets beside the rows of %s", sql)
                .isEqualTo(plain(expected.others()));
        assertThat(hex(actual.rows())).as("rows of %s", sql).isEqualTo(hex(expected.rows()));
    }

    private static List<String> rows(Answer answer, boolean ordered) {
        List<String> rows = hex(answer.rows());
        return ordered ? rows : rows.stream().sorted().toList();
    }

    private static List<String> hex(List<byte[]> packets) {
        return packets.stream().map(HexFormat.of()::formatHex).toList();
    }

    /** Returns the packets without the status flags about indexes. */
    private static List<String> plain(List<byte[]> packets) {
        List<byte[]> plain = new ArrayList<>();
        for (byte[] packet : packets) {
            byte[] copy = packet.clone();
            if ((copy[0] & 0xff) == 0xfe && copy.length >= 5) {
                copy[3] &= (byte) ~OF_INDEXES;
                copy[4] &= (byte) ~(OF_INDEXES >>> 8);
            }
            plain.add(copy);
        }
        return hex(plain);
    }

    public static Parameter tiny(int value) {
        return new Parameter(1, new PayloadWriter().int1(value).toBytes());
    }

    public static Parameter integer(int value) {
        return new Parameter(3, new PayloadWriter().int4(value).toBytes());
    }

    public static Parameter bigint(long value) {
        return new Parameter(8, new PayloadWriter().int8(value).toBytes());
    }

    public static Parameter unsigned(long value) {
        return new Parameter(8 | 0x8000, new PayloadWriter().int8(value).toBytes());
    }

    public static Parameter floating(float value) {
        return new Parameter(
                4, new PayloadWriter().int4(Float.floatToIntBits(value)).toBytes());
    }

    public static Parameter number(double value) {
        return new Parameter(
                5, new PayloadWriter().int8(Double.doubleToLongBits(value)).toBytes());
    }

    public static Parameter decimal(String value) {
        return new Parameter(246, new PayloadWriter().lenencString(value).toBytes());
    }

    public static Parameter text(String value) {
        return new Parameter(253, new PayloadWriter().lenencString(value).toBytes());
    }

    public static Parameter bytes(byte[] value) {
        return new Parameter(252, new PayloadWriter().lenencBytes(value).toBytes());
    }

    public static Parameter nothing() {
        return new Parameter(6, null);
    }

    public static Parameter date(int year, int month, int day) {
        return new Parameter(
                10, new PayloadWriter().int1(4).int2(year).int1(month).int1(day).toBytes());
    }

    /** @param type DATETIME or TIMESTAMP */
    public static Parameter moment(int type, String text) {
        PayloadWriter out = new PayloadWriter()
                .int1(text.length() > 19 ? 11 : 7)
                .int2(Integer.parseInt(text.substring(0, 4)))
                .int1(Integer.parseInt(text.substring(5, 7)))
                .int1(Integer.parseInt(text.substring(8, 10)))
                .int1(Integer.parseInt(text.substring(11, 13)))
                .int1(Integer.parseInt(text.substring(14, 16)))
                .int1(Integer.parseInt(text.substring(17, 19)));
        if (text.length() > 19) {
            out.int4(Integer.parseInt(text.substring(20)));
        }
        return new Parameter(type, out.toBytes());
    }

    public static Parameter span(boolean negative, int days, int hours, int minutes, int seconds) {
        return new Parameter(
                11,
                new PayloadWriter()
                        .int1(8)
                        .int1(negative ? 1 : 0)
                        .int4(days)
                        .int1(hours)
                        .int1(minutes)
                        .int1(seconds)
                        .toBytes());
    }

    @Override
    public void close() throws Exception {
        direct.close();
        proxied.close();
    }
}
