package io.fanfold.demo;

import java.util.List;
import java.util.stream.Stream;

/**
 * The queries of the demo: nine that show the gain of splitting, the thirteen of the Star Schema Benchmark, and some of
 * them again over a table without partitions.
 */
public final class SsbQueries {
    /** Counts distinct days. */
    public static final DemoQuery DISTINCT_DAYS =
            DemoQuery.unordered("distinct days", "SELECT COUNT(DISTINCT LO_OrderDateKey) FROM lineorder");

    /** The ten orders with the highest revenue. Each order is a group, and their order is known only after all sums. */
    public static final DemoQuery TOP_ORDERS = DemoQuery.sorted(
            "top orders",
            "SELECT LO_OrderKey, SUM(LO_Revenue) s FROM lineorder GROUP BY LO_OrderKey ORDER BY s DESC LIMIT 10",
            1);

    /** Plain rows, four percent of the table. */
    public static final DemoQuery SMALL_LINES =
            DemoQuery.unordered("small lines", "SELECT LO_OrderKey, LO_Revenue FROM lineorder WHERE LO_Quantity < 3");

    /** Aggregates over all rows. */
    public static final DemoQuery TOTALS = DemoQuery.unordered(
            "totals", "SELECT SUM(LO_Revenue), AVG(LO_Quantity), MAX(LO_ExtendedPrice) FROM lineorder");

    /** A few groups over all rows. */
    public static final DemoQuery DISCOUNTS = DemoQuery.unordered(
            "discounts",
            "SELECT LO_ShipMode, LO_Discount, COUNT(*), SUM(LO_Revenue) FROM lineorder"
                    + " GROUP BY LO_ShipMode, LO_Discount");

    /** The first plain rows in an order that no index provides. */
    public static final DemoQuery LOWEST_PRICES = DemoQuery.sorted(
            "lowest prices",
            "SELECT LO_ExtendedPrice, LO_OrderKey, LO_LineNumber FROM lineorder"
                    + " ORDER BY LO_ExtendedPrice, LO_OrderKey, LO_LineNumber LIMIT 20",
            0,
            1,
            2);

    /** Counts all rows. */
    public static final DemoQuery COUNT_ROWS = DemoQuery.unordered("count", "SELECT COUNT(*) FROM lineorder");

    /** Profit by year and nation, with all dimensions. */
    public static final DemoQuery PROFIT = DemoQuery.sorted("profit by nation", """
            SELECT d_year, c_nation, SUM(lo_revenue - lo_supplycost) AS profit FROM lineorder
              JOIN dim_date ON lo_orderdatekey = d_datekey JOIN customer ON lo_custkey = c_customerkey
              JOIN supplier ON lo_suppkey = s_suppkey JOIN part ON lo_partkey = p_partkey
              WHERE c_region = 'AMERICA' AND s_region = 'AMERICA' AND (p_mfgr = 'MFGR#1' OR p_mfgr = 'MFGR#2')
              GROUP BY d_year, c_nation ORDER BY d_year, c_nation""", 0, 1);

    /** Customers and mean quantity by ship mode. */
    public static final DemoQuery SHIP_MODES = DemoQuery.unordered(
            "ship modes",
            "SELECT LO_ShipMode, COUNT(DISTINCT LO_CustKey), AVG(LO_Quantity) FROM lineorder GROUP BY LO_ShipMode");

    /** Benchmark query 1.1. */
    public static final DemoQuery Q1_1 = DemoQuery.unordered("SSB Q1.1", """
            select sum(lo_extendedprice*lo_discount) as revenue
            from lineorder, dim_date
            where lo_orderdatekey = d_datekey and d_year = 1993
              and lo_discount between 1 and 3 and lo_quantity < 25""");

    /** Benchmark query 2.1. */
    public static final DemoQuery Q2_1 = DemoQuery.sorted("SSB Q2.1", """
            select sum(lo_revenue), d_year, p_brand
            from lineorder, dim_date, part, supplier
            where lo_orderdatekey = d_datekey and lo_partkey = p_partkey and lo_suppkey = s_suppkey
              and p_category = 'MFGR#12' and s_region = 'AMERICA'
            group by d_year, p_brand order by d_year, p_brand""", 1, 2);

    /** Benchmark query 3.1. */
    public static final DemoQuery Q3_1 = DemoQuery.sorted("SSB Q3.1", """
            select c_nation, s_nation, d_year, sum(lo_revenue) as revenue
            from customer, lineorder, supplier, dim_date
            where lo_custkey = c_customerkey and lo_suppkey = s_suppkey and lo_orderdatekey = d_datekey
              and c_region = 'ASIA' and s_region = 'ASIA' and d_year >= 1992 and d_year <= 1997
            group by c_nation, s_nation, d_year order by d_year asc, revenue desc""", 2, 3);

    /** The queries over the partitioned table, in the demo's order. */
    public static final List<DemoQuery> ALL = List.of(
            DISTINCT_DAYS,
            TOP_ORDERS,
            SMALL_LINES,
            TOTALS,
            DISCOUNTS,
            LOWEST_PRICES,
            COUNT_ROWS,
            PROFIT,
            SHIP_MODES,
            Q1_1,
            DemoQuery.unordered("SSB Q1.2", """
                    select sum(lo_extendedprice*lo_discount) as revenue
                    from lineorder, dim_date
                    where lo_orderdatekey = d_datekey and d_yearmonthnum = 199401
                      and lo_discount between 4 and 6 and lo_quantity between 26 and 35"""),
            DemoQuery.unordered("SSB Q1.3", """
                    select sum(lo_extendedprice*lo_discount) as revenue
                    from lineorder, dim_date
                    where lo_orderdatekey = d_datekey and d_weeknuminyear = 6 and d_year = 1994
                      and lo_discount between 5 and 7 and lo_quantity between 26 and 35"""),
            Q2_1,
            DemoQuery.sorted("SSB Q2.2", """
                    select sum(lo_revenue), d_year, p_brand
                    from lineorder, dim_date, part, supplier
                    where lo_orderdatekey = d_datekey and lo_partkey = p_partkey and lo_suppkey = s_suppkey
                      and p_brand between 'MFGR#2221' and 'MFGR#2228' and s_region = 'ASIA'
                    group by d_year, p_brand order by d_year, p_brand""", 1, 2),
            DemoQuery.sorted("SSB Q2.3", """
                    select sum(lo_revenue), d_year, p_brand
                    from lineorder, dim_date, part, supplier
                    where lo_orderdatekey = d_datekey and lo_partkey = p_partkey and lo_suppkey = s_suppkey
                      and p_brand = 'MFGR#2239' and s_region = 'EUROPE'
                    group by d_year, p_brand order by d_year, p_brand""", 1, 2),
            Q3_1,
            DemoQuery.sorted("SSB Q3.2", """
                    select c_city, s_city, d_year, sum(lo_revenue) as revenue
                    from customer, lineorder, supplier, dim_date
                    where lo_custkey = c_customerkey and lo_suppkey = s_suppkey and lo_orderdatekey = d_datekey
                      and c_nation = 'UNITED STATES' and s_nation = 'UNITED STATES'
                      and d_year >= 1992 and d_year <= 1997
                    group by c_city, s_city, d_year order by d_year asc, revenue desc""", 2, 3),
            DemoQuery.sorted("SSB Q3.3", """
                    select c_city, s_city, d_year, sum(lo_revenue) as revenue
                    from customer, lineorder, supplier, dim_date
                    where lo_custkey = c_customerkey and lo_suppkey = s_suppkey and lo_orderdatekey = d_datekey
                      and (c_city = 'UNITED KI1' or c_city = 'UNITED KI5')
                      and (s_city = 'UNITED KI1' or s_city = 'UNITED KI5')
                      and d_year >= 1992 and d_year <= 1997
                    group by c_city, s_city, d_year order by d_year asc, revenue desc""", 2, 3),
            DemoQuery.sorted("SSB Q3.4", """
                    select c_city, s_city, d_year, sum(lo_revenue) as revenue
                    from customer, lineorder, supplier, dim_date
                    where lo_custkey = c_customerkey and lo_suppkey = s_suppkey and lo_orderdatekey = d_datekey
                      and (c_city = 'UNITED KI1' or c_city = 'UNITED KI5')
                      and (s_city = 'UNITED KI1' or s_city = 'UNITED KI5')
                      and d_yearmonth = 'Dec1997'
                    group by c_city, s_city, d_year order by d_year asc, revenue desc""", 2, 3),
            DemoQuery.sorted("SSB Q4.1", """
                    select d_year, c_nation, sum(lo_revenue - lo_supplycost) as profit
                    from dim_date, customer, supplier, part, lineorder
                    where lo_custkey = c_customerkey and lo_suppkey = s_suppkey and lo_partkey = p_partkey
                      and lo_orderdatekey = d_datekey and c_region = 'AMERICA' and s_region = 'AMERICA'
                      and (p_mfgr = 'MFGR#1' or p_mfgr = 'MFGR#2')
                    group by d_year, c_nation order by d_year, c_nation""", 0, 1),
            DemoQuery.sorted("SSB Q4.2", """
                    select d_year, s_nation, p_category, sum(lo_revenue - lo_supplycost) as profit
                    from dim_date, customer, supplier, part, lineorder
                    where lo_custkey = c_customerkey and lo_suppkey = s_suppkey and lo_partkey = p_partkey
                      and lo_orderdatekey = d_datekey and c_region = 'AMERICA' and s_region = 'AMERICA'
                      and (d_year = 1997 or d_year = 1998) and (p_mfgr = 'MFGR#1' or p_mfgr = 'MFGR#2')
                    group by d_year, s_nation, p_category order by d_year, s_nation, p_category""", 0, 1, 2),
            DemoQuery.sorted("SSB Q4.3", """
                    select d_year, s_city, p_brand, sum(lo_revenue - lo_supplycost) as profit
                    from dim_date, customer, supplier, part, lineorder
                    where lo_custkey = c_customerkey and lo_suppkey = s_suppkey and lo_partkey = p_partkey
                      and lo_orderdatekey = d_datekey and c_region = 'AMERICA' and s_nation = 'UNITED STATES'
                      and (d_year = 1997 or d_year = 1998) and p_category = 'MFGR#14'
                    group by d_year, s_city, p_brand order by d_year, s_city, p_brand""", 0, 1, 2));

    /** The thirteen queries of the Star Schema Benchmark. */
    public static final List<DemoQuery> BENCHMARK = ALL.subList(ALL.indexOf(Q1_1), ALL.size());

    /** Queries over the table without partitions. */
    public static final List<DemoQuery> PLAIN =
            Stream.of(TOTALS, TOP_ORDERS, Q2_1).map(SsbQueries::plain).toList();

    /**
     * Queries of one table with partitions on other servers, without {@link #DISTINCT_DAYS}: for that, Spider asks these
     * servers for every single key, which takes minutes.
     */
    static final List<DemoQuery> SPIDER =
            List.of(TOTALS, COUNT_ROWS, DISCOUNTS, SHIP_MODES, TOP_ORDERS, LOWEST_PRICES, SMALL_LINES);

    private SsbQueries() {}

    /** Returns a query over {@code lineorder} as one over the table without partitions. */
    public static DemoQuery plain(DemoQuery query) {
        return new DemoQuery("plain " + query.name().replace("SSB ", ""), plain(query.sql()), query.sortColumns());
    }

    /** Returns a text that names {@code lineorder} once as one that names the table without partitions. */
    public static String plain(String sql) {
        return sql.replaceFirst("\\blineorder\\b", SsbSchema.PLAIN);
    }
}
