package io.fanfold.cli.bench;

import io.fanfold.cli.demo.DemoQuery;
import io.fanfold.cli.demo.SsbQueries;
import java.util.List;

/**
 * A statement and how a programmer would split it by hand.
 *
 * @param query the statement
 * @param partitionSql its text for one partition, with {@link #PARTITION} where the partition's name belongs
 * @param keys how many result columns of the partition query, from the first, are keys, and all others are numbers to add;
 *     {@link #ROWS} where its rows are the answer's as they are
 * @param groups how many of the keys the final groups have; further keys are counted as distinct values
 */
record HandQuery(DemoQuery query, String partitionSql, int keys, int groups) {
    /** Nothing is to be folded. */
    static final int ROWS = -1;

    /** Stands for the name of a partition. */
    static final String PARTITION = "{partition}";

    /** The statements measured: those of the demo whose split by hand is plain to see. */
    static final List<HandQuery> ALL = List.of(
            new HandQuery(
                    SsbQueries.DISTINCT_DAYS,
                    "SELECT DISTINCT LO_OrderDateKey FROM lineorder PARTITION ({partition})",
                    1,
                    0),
            new HandQuery(SsbQueries.COUNT_ROWS, "SELECT COUNT(*) FROM lineorder PARTITION ({partition})", 0, 0),
            new HandQuery(SsbQueries.PROFIT, """
                    SELECT d_year, c_nation, SUM(lo_revenue - lo_supplycost) FROM lineorder PARTITION ({partition})
                      JOIN dim_date ON lo_orderdatekey = d_datekey JOIN customer ON lo_custkey = c_customerkey
                      JOIN supplier ON lo_suppkey = s_suppkey JOIN part ON lo_partkey = p_partkey
                      WHERE c_region = 'AMERICA' AND s_region = 'AMERICA' AND (p_mfgr = 'MFGR#1' OR p_mfgr = 'MFGR#2')
                      GROUP BY d_year, c_nation""", 2, 2),
            new HandQuery(SsbQueries.SHIP_MODES, """
                    SELECT LO_ShipMode, LO_CustKey, COUNT(LO_Quantity), SUM(LO_Quantity)
                    FROM lineorder PARTITION ({partition}) GROUP BY LO_ShipMode, LO_CustKey""", 2, 1),
            new HandQuery(SsbQueries.Q1_1, """
                    select sum(lo_extendedprice*lo_discount) from lineorder partition ({partition}), dim_date
                    where lo_orderdatekey = d_datekey and d_year = 1993
                      and lo_discount between 1 and 3 and lo_quantity < 25""", 0, 0),
            new HandQuery(SsbQueries.Q2_1, """
                    select d_year, p_brand, sum(lo_revenue)
                    from lineorder partition ({partition}), dim_date, part, supplier
                    where lo_orderdatekey = d_datekey and lo_partkey = p_partkey and lo_suppkey = s_suppkey
                      and p_category = 'MFGR#12' and s_region = 'AMERICA'
                    group by d_year, p_brand""", 2, 2),
            new HandQuery(SsbQueries.Q3_1, """
                    select c_nation, s_nation, d_year, sum(lo_revenue)
                    from customer, lineorder partition ({partition}), supplier, dim_date
                    where lo_custkey = c_customerkey and lo_suppkey = s_suppkey and lo_orderdatekey = d_datekey
                      and c_region = 'ASIA' and s_region = 'ASIA' and d_year >= 1992 and d_year <= 1997
                    group by c_nation, s_nation, d_year""", 3, 3),
            new HandQuery(
                    new DemoQuery(
                            "many groups",
                            "SELECT LO_OrderKey, COUNT(*), SUM(LO_Revenue) FROM lineorder GROUP BY LO_OrderKey",
                            List.of()),
                    "SELECT LO_OrderKey, COUNT(*), SUM(LO_Revenue) FROM lineorder PARTITION ({partition}) GROUP BY LO_OrderKey",
                    1,
                    1),
            new HandQuery(
                    new DemoQuery(
                            "rows",
                            "SELECT LO_OrderKey, LO_CustKey, LO_Revenue FROM lineorder WHERE LO_Discount < 4",
                            List.of()),
                    "SELECT LO_OrderKey, LO_CustKey, LO_Revenue FROM lineorder PARTITION ({partition}) WHERE LO_Discount < 4",
                    ROWS,
                    ROWS));

    String forPartition(String partition) {
        return partitionSql.replace(PARTITION, partition);
    }
}
