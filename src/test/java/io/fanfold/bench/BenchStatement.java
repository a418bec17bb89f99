package io.fanfold.bench;

import io.fanfold.demo.DemoQuery;
import io.fanfold.demo.SsbQueries;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A statement that the benchmark measures, and how a programmer would split it by hand.
 *
 * @param query the statement
 * @param byHand its text for one part, with {@link #PARTITION} in place of the partition's name, or {@link #RANGE} in
 *     place of the condition of a range of the primary key, and {@link #FILTERS} before its first condition if there are
 *     filters; it reads no more rows of the part than the server must
 * @param filters what the programmer adds to each partition query; none for most statements
 * @param target what Fanfold must reach
 */
public record BenchStatement(DemoQuery query, String byHand, List<KeyFilter> filters, Target target) {
    /** Placeholder for the name of a partition. */
    static final String PARTITION = "{partition}";

    /** Placeholder for the condition of a range. */
    static final String RANGE = "{range}";

    /** Placeholder for the conditions of the filters. */
    static final String FILTERS = "{filters}";

    /** Forbids dynamic filters. A proxy that does not know the hint leaves it in the text. */
    private static final String NO_FILTERS = "/*+ NO_DYNAMIC_FILTERS */";

    /** The first column of the primary key, whose ranges are the parts of a table without partitions. */
    static final String KEY = "LO_OrderDateKey";

    private static final Pattern TABLE = Pattern.compile("\\blineorder\\b");
    private static final Pattern DIMENSION = Pattern.compile("\\b(dim_date|customer|supplier|part)\\b");
    private static final Pattern WHERE = Pattern.compile("\\bwhere\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern ORDER = Pattern.compile("\\s+order by .*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /** Adds up distinct days. */
    public static final DemoQuery SUM_OF_DAYS =
            DemoQuery.unordered("sum of days", "SELECT SUM(DISTINCT LO_OrderDateKey) FROM lineorder");

    /** All groups, one for each order. */
    public static final DemoQuery ALL_ORDERS = DemoQuery.unordered(
            "all orders", "SELECT LO_OrderKey, COUNT(*), SUM(LO_Revenue) FROM lineorder GROUP BY LO_OrderKey");

    /** Plain rows, four of eleven. */
    public static final DemoQuery LOW_DISCOUNTS = DemoQuery.unordered(
            "low discounts", "SELECT LO_OrderKey, LO_CustKey, LO_Revenue FROM lineorder WHERE LO_Discount < 4");

    /** All rows, for the condition excludes none; without one, Fanfold does not split. */
    public static final DemoQuery ALL_LINES = DemoQuery.unordered(
            "all lines", "SELECT LO_OrderKey, LO_CustKey, LO_Revenue FROM lineorder WHERE LO_Quantity > 0");

    private static final KeyFilter AMERICAN_SUPPLIERS =
            new KeyFilter("lo_suppkey", "select s_suppkey from supplier where s_region = 'AMERICA'");

    /** The key filters of star joins by statement name, one for each dimension whose conditions leave few rows. */
    private static final Map<String, List<KeyFilter>> KEY_FILTERS = Map.of(
            "SSB Q2.1",
            List.of(
                    new KeyFilter("lo_partkey", "select p_partkey from part where p_category = 'MFGR#12'"),
                    AMERICAN_SUPPLIERS),
            "SSB Q3.1",
            List.of(
                    new KeyFilter("lo_custkey", "select c_customerkey from customer where c_region = 'ASIA'"),
                    new KeyFilter("lo_suppkey", "select s_suppkey from supplier where s_region = 'ASIA'")),
            "SSB Q4.1",
            List.of(
                    new KeyFilter("lo_custkey", "select c_customerkey from customer where c_region = 'AMERICA'"),
                    AMERICAN_SUPPLIERS));

    /** The statements over the partitioned table: those of the demo, and four more. */
    public static final List<BenchStatement> PARTITIONED = Stream.concat(
                    Stream.of(
                            new BenchStatement(
                                    SsbQueries.DISTINCT_DAYS,
                                    "SELECT COUNT(*) FROM (SELECT DISTINCT LO_OrderDateKey FROM lineorder"
                                            + " PARTITION ({partition})) days",
                                    Target.LOOSE_SCAN),
                            new BenchStatement(
                                    SUM_OF_DAYS,
                                    "SELECT SUM(LO_OrderDateKey) FROM (SELECT DISTINCT LO_OrderDateKey FROM lineorder"
                                            + " PARTITION ({partition})) days",
                                    Target.LOOSE_SCAN),
                            new BenchStatement(
                                    SsbQueries.TOP_ORDERS,
                                    "SELECT LO_OrderKey, SUM(LO_Revenue) FROM lineorder PARTITION ({partition})"
                                            + " GROUP BY LO_OrderKey",
                                    Target.MANY_GROUPS),
                            alike(ALL_ORDERS, Target.ALL_GROUPS),
                            alike(SsbQueries.SMALL_LINES, Target.STREAMED),
                            alike(LOW_DISCOUNTS, Target.STREAMED),
                            alike(ALL_LINES, Target.STREAMED),
                            new BenchStatement(
                                    SsbQueries.TOTALS,
                                    "SELECT SUM(LO_Revenue), SUM(LO_Quantity), COUNT(LO_Quantity), MAX(LO_ExtendedPrice)"
                                            + " FROM lineorder PARTITION ({partition})",
                                    Target.USUAL),
                            alike(SsbQueries.DISCOUNTS, Target.USUAL),
                            new BenchStatement(
                                    SsbQueries.LOWEST_PRICES, partition(SsbQueries.LOWEST_PRICES.sql()), Target.USUAL),
                            alike(SsbQueries.COUNT_ROWS, Target.USUAL),
                            alike(SsbQueries.PROFIT, Target.USUAL),
                            new BenchStatement(
                                    SsbQueries.SHIP_MODES,
                                    "SELECT LO_ShipMode, LO_CustKey, COUNT(LO_Quantity), SUM(LO_Quantity)"
                                            + " FROM lineorder PARTITION ({partition}) GROUP BY LO_ShipMode, LO_CustKey",
                                    Target.USUAL)),
                    SsbQueries.BENCHMARK.stream().map(BenchStatement::ofBenchmark))
            .toList();

    /** The statements over the table without partitions: those of the demo, and the whole benchmark. */
    public static final List<BenchStatement> PLAIN = Stream.concat(
                    SsbQueries.PLAIN.stream(), SsbQueries.BENCHMARK.stream().map(SsbQueries::plain))
            .distinct()
            .map(BenchStatement::ofPlain)
            .toList();

    /** The statements measured, in this order. */
    public static final List<BenchStatement> ALL =
            Stream.of(PARTITIONED, PLAIN).flatMap(List::stream).toList();

    /** The number of characters in the longest name. */
    static final int LONGEST_NAME = ALL.stream()
            .mapToInt(statement -> statement.query().name().length())
            .max()
            .orElse(0);

    public BenchStatement {
        filters = List.copyOf(filters);
    }

    private BenchStatement(DemoQuery query, String byHand, Target target) {
        this(query, byHand, List.of(), target);
    }

    private static BenchStatement ofBenchmark(DemoQuery query) {
        List<KeyFilter> filters = KEY_FILTERS.getOrDefault(query.name(), List.of());
        if (filters.isEmpty()) {
            return alike(query, Target.USUAL);
        }
        BenchStatement plain = alike(query, Target.STAR_JOIN);
        String byHand = WHERE.matcher(plain.byHand()).replaceFirst("where " + FILTERS);
        return new BenchStatement(query, byHand, filters, plain.target());
    }

    /** Returns a statement whose queries by hand are those of the same statement over the partitioned table. */
    private static BenchStatement ofPlain(DemoQuery query) {
        BenchStatement same = PARTITIONED.stream()
                .filter(partitioned -> SsbQueries.plain(partitioned.query()).equals(query))
                .findFirst()
                .orElseThrow();
        String table = SsbQueries.plain(same.byHand().replace(" PARTITION (" + PARTITION + ")", ""));
        String byHand = WHERE.matcher(table).find()
                ? WHERE.matcher(table).replaceFirst("where " + RANGE + " and")
                : table.replaceFirst("$| GROUP BY", " WHERE " + RANGE + "$0");
        return new BenchStatement(query, byHand, same.filters(), same.target());
    }

    /** Returns a statement whose partition queries by hand have the same text, but no order. */
    private static BenchStatement alike(DemoQuery query, Target target) {
        return new BenchStatement(query, ORDER.matcher(partition(query.sql())).replaceAll(""), target);
    }

    private static String partition(String sql) {
        return TABLE.matcher(sql).replaceAll("lineorder PARTITION (" + PARTITION + ")");
    }

    /** Whether its parts are ranges of {@link #KEY}. */
    public boolean byRanges() {
        return byHand.contains(RANGE);
    }

    /** Returns the text for one part, without filters. */
    public String byHand(String part) {
        return byHand(part, List.of());
    }

    /**
     * Returns the text for one part.
     *
     * @param part the name of the partition, or the condition of the range
     * @param conditions the conditions of {@link #filters}, in any order, or none
     */
    public String byHand(String part, List<String> conditions) {
        String text = conditions.stream().map(condition -> condition + " and ").collect(Collectors.joining());
        return byHand.replace(PARTITION, part).replace(RANGE, part).replace(FILTERS, text);
    }

    /** Whether it joins {@code lineorder} with a dimension. */
    public boolean starJoin() {
        return DIMENSION.matcher(query.sql()).find();
    }

    /** Returns the statement with the hint that forbids dynamic filters. */
    public String withoutDynamicFilters() {
        int select = "SELECT".length();
        return query.sql().substring(0, select) + " " + NO_FILTERS + query.sql().substring(select);
    }
}
