package io.fanfold.demo;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The tables of the Star Schema Benchmark. {@code lineorder} has eight partitions; {@link #PLAIN} has the same rows and
 * none.
 *
 * @param names the tables' names, the big ones last
 * @param statements create them, in the same order
 * @param servers statements that name the servers of partitions; run at each start
 * @param remote the statements that create the tables of partitions on other servers
 */
record SsbSchema(
        List<String> names, List<String> statements, List<String> servers, Map<Endpoint, List<String>> remote) {
    private static final String PARTY_COLUMNS = """
            %1$s_Name varchar(25) not null, %1$s_Address varchar(25) not null, %1$s_City char(10) not null,
             %1$s_Nation varchar(15) not null, %1$s_Region varchar(12) not null, %1$s_Phone char(15) not null""";

    private static final String LINEORDER_COLUMNS = """
             LO_OrderKey bigint not null, LO_LineNumber tinyint not null, LO_CustKey int not null, LO_PartKey int not null,
             LO_SuppKey int not null, LO_OrderDateKey int not null, LO_OrderPriority varchar(15), LO_ShipPriority char(1),
             LO_Quantity tinyint, LO_ExtendedPrice decimal, LO_OrdTotalPrice decimal, LO_Discount decimal, LO_Revenue decimal,
             LO_SupplyCost decimal, LO_Tax tinyint, LO_CommitDateKey int not null, LO_ShipMode varchar(10),
             primary key(LO_OrderDateKey,LO_PartKey,LO_SuppKey,LO_Custkey,LO_OrderKey,LO_LineNumber)
            """;

    /** The name of the table without partitions. */
    static final String PLAIN = "lineorder_plain";

    private static final int PARTITIONS = 8;

    /** The statements that create the tables of dimensions. */
    private static final List<String> DIMENSIONS = List.of(
            """
            CREATE TABLE dim_date (
             D_DateKey int not null primary key, D_Date varchar(18) not null, D_DayOfWeek varchar(9) not null,
             D_Month varchar(9) not null, D_Year int not null, D_YearMonthNum int not null,
             D_YearMonth char(7) not null, D_DayNumInWeek int not null, D_DayNumInMonth int not null,
             D_DayNumInYear int not null, D_MonthNumInYear int not null, D_WeekNumInYear int not null,
             D_SellingSeason varchar(12) not null, D_LastDayInWeekFl tinyint not null,
             D_LastDayInMonthFl tinyint not null, D_HolidayFl tinyint not null, D_WeekDayFl tinyint not null
            ) ENGINE=InnoDB""",
            "CREATE TABLE customer (\n C_CustomerKey int not null primary key, " + PARTY_COLUMNS.formatted("C")
                    + ",\n C_MktSegment varchar(10) not null\n) ENGINE=InnoDB",
            "CREATE TABLE supplier (\n S_SuppKey int not null primary key, " + PARTY_COLUMNS.formatted("S")
                    + "\n) ENGINE=InnoDB",
            """
            CREATE TABLE part (
             P_PartKey int not null primary key, P_Name varchar(22) not null, P_MFGR char(6) not null,
             P_Category char(7) not null, P_Brand char(9) not null, P_Color varchar(11) not null,
             P_Type varchar(25) not null, P_Size int not null, P_Container varchar(10) not null
            ) ENGINE=InnoDB""");

    private static final List<String> NAMES = List.of("dim_date", "customer", "supplier", "part", "lineorder", PLAIN);

    /** All tables on one server. */
    static SsbSchema onOneServer() {
        return new SsbSchema(
                NAMES,
                with(
                        "CREATE TABLE lineorder (\n" + LINEORDER_COLUMNS + ") ENGINE=InnoDB"
                                + " PARTITION BY HASH(LO_OrderDateKey) PARTITIONS " + PARTITIONS,
                        "CREATE TABLE " + PLAIN + " (\n" + LINEORDER_COLUMNS + ") ENGINE=InnoDB"),
                List.of(),
                Map.of());
    }

    /**
     * The partitions of {@code lineorder} on other servers, by turns, and no table without partitions.
     *
     * @param backends the other servers, at least one
     * @param servers statements that name them b0, b1 and so on
     */
    static SsbSchema onServers(List<Endpoint> backends, List<String> servers) {
        Map<Endpoint, List<String>> remote = new LinkedHashMap<>();
        StringBuilder partitions = new StringBuilder();
        for (int i = 0; i < PARTITIONS; i++) {
            int backend = i % backends.size();
            String table = "lineorder_p" + i;
            partitions
                    .append(i == 0 ? "" : ", ")
                    .append("PARTITION p" + i + " COMMENT = 'srv \"b" + backend + "\", table \"" + table + "\"'");
            remote.computeIfAbsent(backends.get(backend), server -> new ArrayList<>())
                    .addAll(List.of(
                            "DROP TABLE IF EXISTS " + table,
                            "CREATE TABLE " + table + " (\n" + LINEORDER_COLUMNS
                                    + ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"));
        }
        return new SsbSchema(
                NAMES.subList(0, NAMES.size() - 1),
                with("CREATE TABLE lineorder (\n" + LINEORDER_COLUMNS + ") ENGINE=SPIDER DEFAULT CHARSET=utf8mb4"
                        + " COMMENT='wrapper \"mysql\"' PARTITION BY HASH(LO_OrderDateKey) (" + partitions + ")"),
                servers,
                remote);
    }

    private static List<String> with(String... lineorders) {
        return Stream.concat(DIMENSIONS.stream(), Stream.of(lineorders)).toList();
    }

    /** Returns the generators of the tables, in the order of {@link #names}. */
    List<SsbTable> rows(SsbScale scale, long seed) {
        return Stream.<SsbTable>of(
                        new DateRows(),
                        PartyRows.customers(scale.customers(), seed),
                        PartyRows.suppliers(scale.suppliers(), seed),
                        new PartRows(scale.parts(), seed),
                        new LineorderRows("lineorder", scale, seed),
                        new LineorderRows(PLAIN, scale, seed))
                .filter(table -> names.contains(table.name()))
                .toList();
    }
}
