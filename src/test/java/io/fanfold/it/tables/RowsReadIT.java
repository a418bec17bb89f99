package io.fanfold.it.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.bench.BenchStatement;
import io.fanfold.bench.KeyFilter;
import io.fanfold.client.WireConnection;
import io.fanfold.demo.TextTable;
import io.fanfold.demo.TextTable.Heading;
import io.fanfold.it.support.data.HandlerReads;
import io.fanfold.it.support.data.SsbTables;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.row.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The workers of a split read no more rows than a split written by hand. So the server reads each partition by its best
 * plan. With dynamic filters, star joins read no more rows than without, apart from the keys. Both forms are split. The
 * server counts the rows its handlers read; time is not measured.
 */
@AllServers
class RowsReadIT {
    /**
     * Rows that workers read outside partition queries. Each MariaDB worker reads its binary log position by SHOW
     * STATUS, 9 rows in each round, until the positions agree. Worker 0 runs EXPLAIN, for which MySQL reads a row of
     * one or two tables. Without repeated rounds this was 2 to 20 rows.
     */
    private static final long OWN_QUESTIONS = 100;

    /** Statements that pass through: the server alone reads only the first index entries, in all partitions. */
    private static final Map<String, Reason> PASSED = Map.of(
            "days", Reason.ALREADY_FAST,
            "first parts of each day", Reason.ALREADY_FAST,
            "first and last day", Reason.ALREADY_FAST);

    /** Statements for which the server needs only the first entry of each group in an index. */
    private static final List<Statement> OF_INDEX = List.of(
            new Statement(
                    "days and parts",
                    "SELECT COUNT(DISTINCT LO_OrderDateKey, LO_PartKey) FROM lineorder",
                    "SELECT COUNT(DISTINCT LO_OrderDateKey, LO_PartKey) FROM lineorder PARTITION (p)"),
            new Statement(
                    "count of each day",
                    "SELECT LO_OrderDateKey, COUNT(DISTINCT LO_OrderDateKey) FROM lineorder GROUP BY LO_OrderDateKey",
                    "SELECT DISTINCT LO_OrderDateKey FROM lineorder PARTITION (p)"),
            new Statement(
                    "parts of each day",
                    "SELECT LO_OrderDateKey, COUNT(DISTINCT LO_PartKey) FROM lineorder GROUP BY LO_OrderDateKey",
                    "SELECT LO_OrderDateKey, COUNT(DISTINCT LO_PartKey) FROM lineorder PARTITION (p)"
                            + " GROUP BY LO_OrderDateKey"),
            new Statement(
                    "days",
                    "SELECT DISTINCT LO_OrderDateKey FROM lineorder",
                    "SELECT DISTINCT LO_OrderDateKey FROM lineorder PARTITION (p)"),
            new Statement(
                    "first parts of each day",
                    "SELECT LO_OrderDateKey, MIN(LO_PartKey), MAX(LO_PartKey) FROM lineorder GROUP BY LO_OrderDateKey",
                    "SELECT LO_OrderDateKey, MIN(LO_PartKey), MAX(LO_PartKey) FROM lineorder PARTITION (p)"
                            + " GROUP BY LO_OrderDateKey"),
            new Statement(
                    "first and last day",
                    "SELECT MIN(LO_OrderDateKey), MAX(LO_OrderDateKey) FROM lineorder",
                    "SELECT MIN(LO_OrderDateKey), MAX(LO_OrderDateKey) FROM lineorder PARTITION (p)"));

    /**
     * Queries that merge the answers of partition queries, if the merge is not obvious. Their columns are a, b, c, d.
     */
    private static final Map<String, String> MERGED = Map.of(
            "distinct days",
            "h (a) AS (%s) SELECT SUM(a) FROM h",
            "sum of days",
            "h (a) AS (%s) SELECT SUM(a) FROM h",
            "top orders",
            "h (a, b) AS (%s) SELECT a, SUM(b) FROM h GROUP BY a ORDER BY 2 DESC LIMIT 10",
            "totals",
            "h (a, b, c, d) AS (%s) SELECT SUM(a), SUM(b) / SUM(c), MAX(d) FROM h",
            "lowest prices",
            "h (a, b, c) AS (%s) SELECT a, b, c FROM h ORDER BY a, b, c LIMIT 20",
            "ship modes",
            "h (a, b, c, d) AS (%s) SELECT a, COUNT(DISTINCT b), SUM(d) / SUM(c) FROM h GROUP BY a ORDER BY a",
            "days and parts",
            "h (a) AS (%s) SELECT SUM(a) FROM h");

    /** The same for star joins that are split by hand with key filters. */
    private static final Map<String, String> STARS_MERGED = Map.of(
            "SSB Q2.1",
            "h (a, b, c) AS (%s) SELECT SUM(a), b, c FROM h GROUP BY b, c",
            "SSB Q3.1",
            "h (a, b, c, d) AS (%s) SELECT a, b, c, SUM(d) FROM h GROUP BY a, b, c",
            "SSB Q4.1",
            "h (a, b, c) AS (%s) SELECT a, b, SUM(c) FROM h GROUP BY a, b");

    private final TestServer server;
    private final TextTable table = new TextTable(
            Heading.left("statement"),
            Heading.right("by hand"),
            Heading.right("workers"),
            Heading.right("no filters"),
            Heading.right("client's session"),
            Heading.left("split or reason"));

    /**
     * A statement and its split by hand.
     *
     * @param byHand its text for one partition, named p, without key filters
     * @param noFilters a star join without dynamic filters; otherwise ""
     */
    private record Statement(String name, String sql, String byHand, String noFilters) {
        Statement(String name, String sql, String byHand) {
            this(name, sql, byHand, "");
        }

        static Statement of(BenchStatement statement) {
            return new Statement(
                    statement.query().name(),
                    statement.query().sql(),
                    statement.byHand("p"),
                    statement.starJoin() ? statement.withoutDynamicFilters() : "");
        }

        String byHand(String partition) {
            return byHand.replace("PARTITION (p)", "PARTITION (" + partition + ")");
        }
    }

    RowsReadIT(TestServer server) {
        this.server = server;
    }

    private static List<Statement> statements() {
        return Stream.concat(BenchStatement.PARTITIONED.stream().map(Statement::of), OF_INDEX.stream())
                .toList();
    }

    @Test
    void workersReadNoMoreThanTheSplitByHand() throws Exception {
        List<String> wrong = new ArrayList<>();
        try (ProxiedServer proxy = ProxiedServer.start(server, 2)) {
            SsbTables.ensure(proxy);
            try (WireConnection admin = proxy.direct();
                    WireConnection hand = proxy.direct();
                    WireConnection client = proxy.proxied()) {
                hand.execute("USE " + SsbTables.DATABASE);
                client.execute("USE " + SsbTables.DATABASE);
                List<String> partitions = partitions(hand);
                HandlerReads reads = new HandlerReads(admin, client);
                long dimensions = dimensionRows(hand);
                for (Statement statement : statements()) {
                    HandlerReads.Work byHand = () -> byHand(hand, statement, partitions);
                    byHand.run();
                    long ofHand = Math.min(reads.during(byHand), reads.during(byHand));
                    // the first execution also runs the queries that run once per connection
                    client.query(statement.sql());
                    HandlerReads.Split split = reads.ofSplit(statement.sql(), proxy);
                    boolean star = !statement.noFilters().isEmpty();
                    HandlerReads.Split noFilters = star ? reads.ofSplit(statement.noFilters(), proxy) : split;
                    Reason reason = split.outcome().reason();
                    table.add(
                            statement.name(),
                            Long.toString(ofHand),
                            Long.toString(split.workers()),
                            star ? Long.toString(noFilters.workers()) : "",
                            Long.toString(split.client()),
                            reason == null ? split.outcome().partitions() + " partitions" : reason.name());
                    // the keys of dynamic filters are read once
                    long most = Math.min(ofHand, noFilters.workers()) + OWN_QUESTIONS + (star ? dimensions : 0);
                    if (split.workers() > most) {
                        // the server itself reads rows now and then
                        split = reads.ofSplit(statement.sql(), proxy);
                    }
                    if (reason != PASSED.get(statement.name()) || split.workers() > most) {
                        wrong.add(statement.name() + ": " + split + " (expected: at most " + most + ")");
                    }
                    if (star && !noFilters.outcome().fannedOut()) {
                        wrong.add(statement.name() + " without filters: " + noFilters + " (expected: split)");
                    }
                }
            }
        }
        System.out.println("\nrows read on " + server + "\n" + table.render());
        assertThat(wrong).as("%s", server).isEmpty();
    }

    @Test
    void keyFiltersByHandLeaveTheAnswerAsItIs() throws Exception {
        List<BenchStatement> filtered = starJoins().stream()
                .filter(statement -> !statement.filters().isEmpty())
                .toList();
        assertThat(filtered.stream().map(statement -> statement.query().name()))
                .containsExactlyInAnyOrderElementsOf(STARS_MERGED.keySet());
        try (ProxiedServer proxy = ProxiedServer.start(server, 2)) {
            SsbTables.ensure(proxy);
            try (WireConnection direct = proxy.direct()) {
                direct.execute("USE " + SsbTables.DATABASE);
                List<String> partitions = partitions(direct);
                for (BenchStatement statement : filtered) {
                    List<String> conditions = new ArrayList<>();
                    for (KeyFilter filter : statement.filters()) {
                        List<String> keys = direct.query(filter.keys()).rows().stream()
                                .map(row -> String.valueOf(row.ascii(0)))
                                .toList();
                        assertThat(keys).as("%s", filter).isNotEmpty();
                        conditions.add(filter.condition(keys));
                    }
                    String merged =
                            String.valueOf(STARS_MERGED.get(statement.query().name()));
                    assertThat(lines(direct, union(merged, partitions, name -> statement.byHand(name, conditions))))
                            .as("%s on %s", statement.query().name(), server)
                            .isEqualTo(lines(direct, statement.query().sql()));
                }
            }
        }
    }

    /** The split by hand must be one that a programmer could use. */
    @Test
    void partitionQueriesByHandHaveTheAnswerInThem() throws Exception {
        try (ProxiedServer proxy = ProxiedServer.start(server, 2)) {
            SsbTables.ensure(proxy);
            try (WireConnection direct = proxy.direct()) {
                direct.execute("USE " + SsbTables.DATABASE);
                List<String> partitions = partitions(direct);
                List<Statement> merged = statements().stream()
                        .filter(statement -> MERGED.containsKey(statement.name()))
                        .toList();
                assertThat(merged).hasSize(MERGED.size());
                for (Statement statement : merged) {
                    String byHand = union(String.valueOf(MERGED.get(statement.name())), partitions, statement::byHand);
                    assertThat(lines(direct, byHand))
                            .as("%s on %s", statement.name(), server)
                            .isEqualTo(lines(direct, statement.sql()));
                }
            }
        }
    }

    private static List<BenchStatement> starJoins() {
        return BenchStatement.PARTITIONED.stream()
                .filter(BenchStatement::starJoin)
                .toList();
    }

    private static long dimensionRows(WireConnection connection) throws Exception {
        long rows = 0;
        for (String table : List.of("dim_date", "customer", "supplier", "part")) {
            Row count = connection.query("SELECT COUNT(*) FROM " + table).rows().get(0);
            rows += Long.parseLong(String.valueOf(count.ascii(0)));
        }
        return rows;
    }

    /** Returns a statement over the rows of the partition queries, named h. */
    private static String union(String merged, List<String> partitions, UnaryOperator<String> byHand) {
        return "WITH "
                + merged.formatted(partitions.stream()
                        .map(partition -> "(" + byHand.apply(partition) + ")")
                        .collect(Collectors.joining(" UNION ALL ")));
    }

    private static List<String> lines(WireConnection connection, String sql) throws Exception {
        return connection.query(sql).rows().stream().map(Row::toString).sorted().toList();
    }

    private static void byHand(WireConnection hand, Statement statement, List<String> partitions) throws Exception {
        for (String partition : partitions) {
            hand.query(statement.byHand(partition));
        }
    }

    private static List<String> partitions(WireConnection connection) throws Exception {
        List<String> names = new ArrayList<>();
        for (Row row : connection
                .query("SELECT partition_name FROM information_schema.partitions WHERE table_schema = '"
                        + SsbTables.DATABASE + "' AND table_name = 'lineorder'")
                .rows()) {
            names.add(String.valueOf(row.utf8(0)));
        }
        return names;
    }
}
