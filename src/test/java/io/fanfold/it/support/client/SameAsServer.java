package io.fanfold.it.support.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.Ping;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.reason.Reason;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import io.fanfold.wire.ServerStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * Compares statements run direct on the server and through the proxy: column definitions, bytes of all rows (and their
 * order if the statement has ORDER BY), warnings, status flags and errors. Each comparison also states whether the
 * statement must fan out. Otherwise a proxy that passes everything through would pass every test.
 */
public final class SameAsServer implements AutoCloseable {
    /**
     * Status flags that depend on time (WAS_SLOW) or on plans. DefinitionsIT compares the latter if they are
     * predictable.
     */
    private static final int LEFT_OUT = 2048 | ServerStatus.NO_INDEX_USED | ServerStatus.NO_GOOD_INDEX_USED;

    private final ProxiedServer proxy;
    private final WireConnection direct;
    private final WireConnection proxied;
    private final boolean closesProxy;

    public SameAsServer(ProxiedServer proxy) throws Exception {
        this(proxy, proxy.server().adminUser(), proxy.server().adminPassword());
    }

    /** Compares the answers for the given user. */
    public SameAsServer(ProxiedServer proxy, String user, String password) throws Exception {
        this(proxy, user, password, false);
    }

    private SameAsServer(ProxiedServer proxy, String user, String password, boolean closesProxy) throws Exception {
        this.proxy = proxy;
        this.direct = proxy.direct(user, password);
        this.proxied = proxy.proxied(user, password);
        this.closesProxy = closesProxy;
    }

    /** Compares the administrator's answers. Closing this closes the proxy too. */
    public static SameAsServer owning(ProxiedServer proxy) throws Exception {
        return new SameAsServer(
                proxy, proxy.server().adminUser(), proxy.server().adminPassword(), true);
    }

    public ProxiedServer proxy() {
        return proxy;
    }

    /** Runs a statement on both connections, for example USE or SET. */
    public void onBoth(String sql) throws Exception {
        direct.execute(sql);
        proxied.execute(sql);
        proxy.forget();
    }

    /** Requires the same answer by fan-out. */
    public ProxiedServer.Outcome fansOut(String sql) throws Exception {
        return fansOut(sql, sql);
    }

    /**
     * Requires the same answer by fan-out.
     *
     * @param proxiedSql the same statement, for example with a hint of Fanfold, of which MySQL warns
     */
    public ProxiedServer.Outcome fansOut(String sql, String proxiedSql) throws Exception {
        same(sql, proxiedSql);
        ProxiedServer.Outcome outcome = proxy.outcome();
        assertThat(outcome.reason()).as("reason for passing through: %s", sql).isNull();
        assertThat(outcome.partitions()).as("partitions of %s", sql).isGreaterThan(1);
        return outcome;
    }

    /** Like {@link #fansOut}, with rows in the same order although the statement has no ORDER BY. */
    public void fansOutInTheOrderOfTheServer(String sql) throws Exception {
        fansOut(sql);
        List<Row> expected = direct.query(sql).rows();
        List<Row> actual = proxied.query(sql).rows();
        assertThat(actual.stream().map(SameAsServer::shown))
                .as("rows of %s", sql)
                .containsExactlyElementsOf(
                        expected.stream().map(SameAsServer::shown).toList());
    }

    /**
     * The proxy's answer to a statement, and the server's to an equivalent one.
     *
     * @param proxied the answer of the fan-out
     */
    public record Both(Reply.Result proxied, Reply.Result direct) {}

    /** Runs a statement that must fan out, and another direct on the server, without comparing them. */
    public Both both(String proxiedSql, String directSql) throws Exception {
        proxy.forget();
        Reply.Result result = proxied.query(proxiedSql);
        assertThat(proxy.outcome().reason())
                .as("reason for passing through: %s", proxiedSql)
                .isNull();
        return new Both(result, direct.query(directSql));
    }

    /** Requires the same answer, passed through for the given reason. */
    public void passesThrough(String sql, Reason reason) throws Exception {
        same(sql);
        ProxiedServer.Outcome outcome = proxy.outcome();
        assertThat(outcome.reason()).as("what was done with %s", sql).isEqualTo(reason);
    }

    /** Requires the same answer, by fan-out or else passed through for the given reason. */
    public void fansOutIf(boolean fansOut, String sql, Reason otherwise) throws Exception {
        if (fansOut) {
            fansOut(sql);
        } else {
            passesThrough(sql, otherwise);
        }
    }

    /** Requires the same answer by any route. */
    public void same(String sql) throws Exception {
        same(sql, sql);
    }

    private void same(String sql, String proxiedSql) throws Exception {
        proxy.forget();
        Reply expected = ask(direct, sql);
        Reply actual = ask(proxied, proxiedSql);
        assertThat(shown(actual, sql)).as("%s", sql).isEqualTo(shown(expected, sql));
    }

    /** Requires the same rows and warnings, or the same error, by any route. Definitions may differ. */
    public void sameValues(String sql) throws Exception {
        proxy.forget();
        Reply expected = ask(direct, sql);
        Reply actual = ask(proxied, sql);
        assertThat(values(actual, sql)).as("%s", sql).isEqualTo(values(expected, sql));
    }

    private List<String> values(Reply reply, String sql) {
        List<String> shown = shown(reply, sql);
        return reply instanceof Reply.Result result
                ? shown.subList(result.columns().size(), shown.size())
                : shown;
    }

    /**
     * Requires that the last statement left the same number of warnings, as a ping reports it. The proxy restores the
     * server's diagnostics before a statement that reads them, but not before a ping.
     */
    public void sameWarningsLeft() throws IOException {
        assertThat(Ping.warnings(proxied)).as("warnings left").isEqualTo(Ping.warnings(direct));
    }

    /** Returns how long the server alone took for the statement. */
    public long directNanos(String sql) throws IOException {
        return nanos(direct, sql);
    }

    /** Returns how long the proxy took for the statement. */
    public long proxiedNanos(String sql) throws IOException {
        return nanos(proxied, sql);
    }

    private static long nanos(WireConnection connection, String sql) throws IOException {
        long start = System.nanoTime();
        ask(connection, sql);
        return System.nanoTime() - start;
    }

    private static Reply ask(WireConnection connection, String sql) throws IOException {
        return connection.pipeline(List.of(sql)).get(0);
    }

    /** Returns a reply as lines: definitions, rows and warnings, or the error. */
    private List<String> shown(Reply reply, String sql) {
        if (reply instanceof Reply.Failed failed) {
            // the name of a temporary file contains its descriptor number
            String message = failed.message().replaceAll("\\bMYfd=\\d+", "MYfd=...");
            return List.of(failed.errno() + " " + failed.sqlState() + " " + message);
        }
        if (reply instanceof Reply.Completed ok) {
            return List.of("OK, warnings " + ok.warnings());
        }
        Reply.Result result = (Reply.Result) reply;
        List<String> rows = result.rows().stream().map(SameAsServer::shown).toList();
        if (!sql.toLowerCase(Locale.ROOT).contains("order by")) {
            rows = rows.stream().sorted().toList();
        }
        List<String> lines = new ArrayList<>();
        result.columns().forEach(column -> lines.add(shown(column)));
        lines.add("warnings " + result.warnings() + ", status " + Integer.toHexString(result.status() & ~LEFT_OUT));
        lines.addAll(rows);
        return lines;
    }

    /**
     * Returns the parts of a definition that do not depend on the server's plan. The following depend on it: flags of
     * temporary tables, the decimals of MIN and MAX of strings, and on MariaDB the length of those of approximate
     * numbers.
     */
    private String shown(Column column) {
        return shown(column, proxy.server().kind());
    }

    static String shown(Column column, ServerFlavor flavor) {
        boolean approximate =
                flavor.isMariaDb() && (column.type() == ColumnType.FLOAT || column.type() == ColumnType.DOUBLE);
        return column.name() + " " + column.type() + (approximate ? "" : " length " + column.length()) + " collation "
                + column.collationId() + (column.unsigned() ? " unsigned" : "")
                + (column.type().isString() ? "" : " decimals " + column.decimals());
    }

    private static String shown(Row row) {
        StringBuilder line = new StringBuilder(row.toString());
        for (int i = 0; i < row.columns(); i++) {
            byte[] value = row.bytes(i);
            if (value != null && !isPrintable(value)) {
                line.append(" x").append(HexFormat.of().formatHex(value));
            }
        }
        return line.toString();
    }

    private static boolean isPrintable(byte[] value) {
        for (byte b : value) {
            if (b < 0x20) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() throws Exception {
        direct.close();
        proxied.close();
        if (closesProxy) {
            proxy.close();
        }
    }
}
