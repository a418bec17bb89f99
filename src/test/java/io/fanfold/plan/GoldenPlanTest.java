package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.GoldenUpdate;
import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.CatalogTable;
import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.catalog.TableName;
import io.fanfold.plan.rule.Rules;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.SelectReader;
import io.fanfold.sql.SqlDialect;
import io.fanfold.sql.StatementModel;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Checks that every statement of {@code plan/golden.txt} gets its plan or its refusal. The file has blocks separated by
 * blank lines: the statement (after {@code mariadb:} if that server differs), then the lines of {@link PlanPrinter}, or
 * {@code refused: REASON} and {@code because: detail}, since one reason may come from many rules. {@link GoldenUpdate}
 * writes these lines.
 */
class GoldenPlanTest {
    private static final ScheduledExecutorService WATCHDOG = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "watchdog");
        thread.setDaemon(true);
        return thread;
    });

    private static final SelectReader READER = new SelectReader(WATCHDOG);

    @TestFactory
    Stream<DynamicTest> plans() throws IOException {
        if (GoldenUpdate.requested()) {
            GoldenUpdate.write("plan/golden.txt", updated(text()));
            return Stream.of();
        }
        List<List<String>> blocks = blocks();
        assertThat(blocks.stream()
                        .filter(block -> refusedFor(block).isPresent())
                        .count())
                .as("refusals are as many as acceptances")
                .isGreaterThanOrEqualTo(blocks.size() / 2);
        return blocks.stream()
                .map(block -> DynamicTest.dynamicTest(
                        block.get(0),
                        () -> assertThat(recorded(block.get(0))).isEqualTo(block.subList(1, block.size()))));
    }

    /** Returns the reason for which a block of the file is refused, empty if it has a plan. */
    static Optional<String> refusedFor(List<String> block) {
        return block.stream()
                .filter(line -> line.startsWith("refused: "))
                .map(line -> line.substring("refused: ".length()))
                .findFirst();
    }

    /** Returns the lines of the file for a statement. */
    private static List<String> recorded(String line) {
        try {
            return PlanPrinter.print(decide(line, Map.of()));
        } catch (RefusedException e) {
            return List.of("refused: " + e.reason(), ("because: " + e.detail().replace('\n', '⏎')).stripTrailing());
        }
    }

    /** Returns the plan of a statement, or the line with its refusal. */
    static List<String> plan(String line) {
        return plan(line, Map.of());
    }

    /**
     * Returns the plan of a statement with inputs of other types.
     *
     * @param others the types of these inputs, by their text
     */
    static List<String> plan(String line, Map<String, Column> others) {
        try {
            return PlanPrinter.print(decide(line, others));
        } catch (RefusedException e) {
            return List.of("refused: " + e.reason());
        }
    }

    /** Returns the plan of a statement that must be splittable. */
    static StatementPlan splittable(String line, Map<String, Column> others) {
        try {
            return decide(line, others);
        } catch (RefusedException e) {
            throw new AssertionError(line, e);
        }
    }

    static StatementPlan decide(String line, Map<String, Column> others) throws RefusedException {
        ServerFlavor flavor = ServerFlavor.mariaDbIf(line.startsWith("mariadb: "));
        String sql = flavor.isMariaDb() ? line.substring("mariadb: ".length()) : line;
        StatementModel read = READER.read(sql, new SqlDialect(flavor, false, false, StandardCharsets.UTF_8));
        SplitPlanner planner = new SplitPlanner(flavor, new Rules());
        LogicalStatement logical = planner.analyze(read, "db", new Catalog());
        // every table that may be co-partitioned is treated as such, and d and e have primary keys
        LogicalStatement proven = logical.with(logical.blocks().stream()
                .map(block -> block.joining(block.coPartitioned().stream()
                        .map(coPartitioned -> new CoPartitionedTable(
                                coPartitioned.table(), coPartitioned.columns(), Map.of("p", "p")))
                        .toList()))
                .map(block -> block.withPrimaryKeys(primaryKeys(block)))
                .toList());
        List<List<Column>> types = proven.blocks().stream()
                .map(block -> block.inputs().stream()
                        .map(input -> others.getOrDefault(input.sql(), typeOf(input.sql())))
                        .toList())
                .toList();
        return planner.complete(
                proven,
                types,
                2,
                new Catalog(),
                (charset, collation) -> Optional.of(new byte[] {0, 0x20}),
                new SessionTraits(
                        !sql.contains("clocksback"), sql.contains("zerodates"), SessionTraits.DEFAULT_DIVIDED_DIGITS));
    }

    private static Map<TableRef, List<String>> primaryKeys(LogicalPlan block) {
        Map<TableRef, List<String>> keys = new HashMap<>();
        for (TableRef table : block.model().tables()) {
            switch (table.name()) {
                case "d" -> keys.put(table, List.of("k"));
                case "e" -> keys.put(table, List.of("a", "b"));
                default -> {}
            }
        }
        return keys;
    }

    /** Returns the type that the server would report for an expression over the columns of the golden tables. */
    private static Column typeOf(String sql) {
        String expression = sql.toLowerCase(Locale.ROOT);
        if (expression.startsWith("count(")) {
            return column(sql, ColumnType.LONGLONG, 63, 21, 0, 0);
        }
        boolean approximate = expression.contains("dbl") || expression.contains("flt");
        boolean fixed = expression.contains("dblfix");
        if (expression.startsWith("var") || expression.startsWith("std") || expression.startsWith("avg((")) {
            return column(sql, ColumnType.DOUBLE, 63, 23, 0, 31);
        }
        if (expression.startsWith("sum(")) {
            return approximate || expression.contains("str")
                    ? column(sql, ColumnType.DOUBLE, 63, 23, 0, fixed ? 2 : 31)
                    : column(sql, ColumnType.NEWDECIMAL, 63, 34, 0, digits(expression));
        }
        if (expression.matches("(year|hour|dayofweek)\\(.*")) {
            return column(sql, ColumnType.LONG, 63, 5, 0, 0);
        }
        if (expression.contains("dbl")) {
            return column(sql, ColumnType.DOUBLE, 63, 22, 0, fixed ? 2 : 31);
        }
        if (expression.contains("flt")) {
            return column(sql, ColumnType.FLOAT, 63, 12, 0, 31);
        }
        if (expression.contains("str0900")) {
            return column(sql, ColumnType.VAR_STRING, 255, 80, 0, 0);
        }
        if (expression.contains("strodd")) {
            return column(sql, ColumnType.VAR_STRING, 144, 80, 0, 0);
        }
        if (expression.contains("str")) {
            return column(sql, ColumnType.VAR_STRING, 45, 80, 0, 0);
        }
        if (expression.contains("bytes")) {
            return column(sql, ColumnType.VAR_STRING, 63, 20, Column.Flags.BINARY, 0);
        }
        if (digits(expression) > 0) {
            return column(sql, ColumnType.NEWDECIMAL, 63, 12 + digits(expression), 0, digits(expression));
        }
        if (expression.contains("vintage")) {
            return column(sql, ColumnType.YEAR, 63, 4, Column.Flags.UNSIGNED | Column.Flags.ZEROFILL, 0);
        }
        if (expression.contains("enm")) {
            return column(sql, ColumnType.STRING, 45, 4, Column.Flags.ENUM, 0);
        }
        if (expression.contains("bits")) {
            return column(sql, ColumnType.BIT, 63, 10, Column.Flags.UNSIGNED, 0);
        }
        if (expression.contains("novel")) {
            return column(sql, ColumnType.BLOB, 45, 262140, 0, 0);
        }
        if (expression.contains("json")) {
            return column(sql, ColumnType.JSON, 63, 1 << 30, 0, 0);
        }
        if (expression.contains("day")) {
            return column(sql, ColumnType.DATE, 63, 10, 0, 0);
        }
        if (expression.contains("elapsed")) {
            return column(sql, ColumnType.TIME, 63, 10, 0, 0);
        }
        if (expression.contains("stamp")) {
            return column(sql, ColumnType.TIMESTAMP, 63, 19, 0, 0);
        }
        if (expression.contains("moment")) {
            return column(sql, ColumnType.DATETIME, 63, 26, 0, 6);
        }
        return column(sql, ColumnType.LONG, 63, 11, 0, 0);
    }

    /** Returns the scale of a decimal, and 0 for other expressions. */
    private static int digits(String expression) {
        return expression.contains("fine") ? 10 : expression.contains("num") ? 2 : 0;
    }

    /**
     * A column whose name begins with {@code made} is computed by a derived table, so servers name no schema for it.
     */
    private static Column column(String sql, ColumnType type, int collation, long length, int flags, int decimals) {
        String name = sql.replace("`", "");
        String column = name.matches("[a-z0-9.]+") ? name.substring(name.indexOf('.') + 1) : "";
        String table = name.matches("[a-z]+\\.[a-z0-9]+") ? name.substring(0, name.indexOf('.')) : "t";
        String schema = column.startsWith("made") ? "" : "db";
        return new Column(schema, table, table, name, column, collation, length, type, flags, decimals);
    }

    private static String text() throws IOException {
        try (InputStream in = GoldenPlanTest.class.getResourceAsStream("/plan/golden.txt")) {
            if (in == null) {
                throw new IOException("no plan/golden.txt");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Returns the blocks of the file, each without comment lines. */
    static List<List<String>> blocks() throws IOException {
        return Arrays.stream(text().split("\n\\s*\n"))
                .map(block -> Arrays.stream(block.split("\n"))
                        .filter(GoldenPlanTest::counts)
                        .toList())
                .filter(lines -> !lines.isEmpty())
                .toList();
    }

    private static boolean counts(String line) {
        return !line.startsWith("#") && !line.isBlank();
    }

    /** Returns the file with the plans of today after each statement. */
    private static String updated(String text) {
        List<String> blocks = new ArrayList<>();
        for (String block : text.stripTrailing().split("\n\\s*\n")) {
            List<String> lines = new ArrayList<>();
            for (String line : block.split("\n")) {
                lines.add(line);
                if (counts(line)) {
                    lines.addAll(recorded(line));
                    break;
                }
            }
            blocks.add(String.join("\n", lines));
        }
        return String.join("\n\n", blocks) + "\n";
    }

    /** Contains db.t, partitioned and large, and db.u, partitioned and small. All other tables are not partitioned. */
    private static final class Catalog implements CatalogSnapshot {
        @Override
        public boolean caseSensitive() {
            return true;
        }

        @Override
        public Optional<CatalogTable> table(String schema, String table) {
            return tables().stream()
                    .filter(known -> known.name().equals(new TableName(schema, table)))
                    .findFirst();
        }

        @Override
        public Collection<CatalogTable> tables() {
            return List.of(table("t", 1000), table("u", 10));
        }

        private static CatalogTable table(String name, long rows) {
            return new CatalogTable(
                    new TableName("db", name),
                    "HASH",
                    "id",
                    List.of(new Partition("p0", "p0", rows), new Partition("p1", "p1", rows)));
        }

        @Override
        public Optional<CollationInfo> collation(String name) {
            return Optional.empty();
        }

        @Override
        public Optional<CollationInfo> collation(int id) {
            return switch (id) {
                case 45 -> Optional.of(new CollationInfo(45, "utf8mb4_general_ci", "utf8mb4", true));
                case 255 -> Optional.of(new CollationInfo(255, "utf8mb4_0900_ai_ci", "utf8mb4", false));
                case 144 -> Optional.of(new CollationInfo(144, "cp1250_czech_cs", "cp1250", true));
                default -> Optional.empty();
            };
        }
    }
}
