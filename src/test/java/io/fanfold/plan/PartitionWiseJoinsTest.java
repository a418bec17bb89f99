package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.CatalogTable;
import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.catalog.TableName;
import io.fanfold.plan.rule.Rules;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code t} is the larger table, partitioned by its {@code id}, and {@code u} is partitioned by its {@code uid}. */
class PartitionWiseJoinsTest {
    private static final CatalogTable T = table("t", "HASH", "id", 2, 500);
    private static final CatalogTable U = table("u", "HASH", "uid", 2, 5);

    private static CatalogTable table(String name, String method, String expression, int partitions, long rows) {
        return new CatalogTable(
                new TableName("db", name),
                method,
                expression,
                IntStream.range(0, partitions)
                        .mapToObj(i -> new Partition("p" + i, "p" + i, rows))
                        .toList());
    }

    private static CatalogTable subPartitioned(String name, String column, long rows) {
        return new CatalogTable(
                new TableName("db", name), "HASH", column, List.of(new Partition("p0s0", "p0_p0s0", rows)));
    }

    private static LogicalPlan analyze(String from, CatalogTable... tables) {
        SplitPlanner planner = new SplitPlanner(ServerFlavor.MYSQL, new Rules());
        return Sample.analyze(planner, "SELECT COUNT(*) FROM " + from, "db", Sample.catalog(tables))
                .blocks()
                .get(0);
    }

    /** Returns the tables that may be co-partitioned, each with its pairs of columns. */
    private static List<String> coPartitioned(String from, CatalogTable... tables) {
        return analyze(from, tables).coPartitioned().stream()
                .map(coPartitioned -> (coPartitioned.table().alias() == null
                                ? coPartitioned.table().name()
                                : coPartitioned.table().alias())
                        + coPartitioned.columns().stream()
                                .map(pair -> " " + pair.split().name() + "="
                                        + pair.own().name())
                                .reduce("", String::concat))
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "t JOIN u ON t.id = u.uid | u id=uid",
                "t JOIN u ON u.uid = t.id | u id=uid",
                "t, u WHERE T.a = 1 AND t.ID = u.UID | u id=uid",
                "t JOIN u ON t.id = u.uid JOIN d USING (k) | u id=uid",
                "u x JOIN t y ON y.id = x.uid | x id=uid",
                "t x JOIN t y ON x.id = y.id | y id=id",
                "t LEFT JOIN u ON t.id = u.uid AND u.k > 1 | u id=uid",
                "u RIGHT JOIN t ON t.id = u.uid | u id=uid",
                "t LEFT JOIN (u JOIN d ON u.k = d.k) ON t.id = u.uid | u id=uid",
                "t x JOIN t y USING (k, id) | y id=id"
            })
    void tablesWithEqualPartitioningColumnsAreCoPartitioned(String from, String coPartitioned) {
        assertThat(coPartitioned(from, T, U)).containsExactly(coPartitioned);
    }

    @ParameterizedTest
    @ValueSource(strings = {"t JOIN u ON id = uid", "t JOIN u ON uid = id"})
    void unqualifiedNamesAreUniqueOrTheServerRefusesThem(String from) {
        assertThat(coPartitioned(from, T, U)).containsExactly("u id=uid");
        assertThat(coPartitioned(from + " JOIN d USING (k)", T, U)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "t JOIN u ON t.id = u.k",
                "t JOIN u ON u.k = t.id",
                "t JOIN u ON t.a = u.uid",
                "t JOIN u ON u.uid = t.a",
                "t JOIN d ON t.id = d.uid JOIN u ON d.id = u.uid",
                "t x JOIN t y ON x.a = y.a JOIN u ON y.id = u.uid",
                "t JOIN u PARTITION (p0) ON t.id = u.uid",
                "t JOIN u ON t.k = u.k LEFT JOIN d ON t.id = u.uid",
                "t JOIN u USING (uid)",
                "t JOIN u USING (k)",
                "t JOIN (SELECT uid FROM u) x ON id = uid",
                "(SELECT id FROM t) x JOIN u ON id = uid"
            })
    void otherTablesAreReadWhole(String from) {
        assertThat(coPartitioned(from, T, U)).isEmpty();
    }

    @Test
    void onlyTablesThatArePartitionedAlikeAreRead() {
        String from = "t JOIN u ON t.id = u.uid";
        assertThat(coPartitioned(from, T, table("u", "KEY", "uid", 2, 5))).isEmpty();
        assertThat(coPartitioned(from, T, table("u", "HASH", "uid", 3, 5))).isEmpty();
        assertThat(coPartitioned(from, T, table("u", "HASH", "uid + 1", 2, 5))).isEmpty();
        assertThat(coPartitioned(from, table("t", "HASH", "year(id)", 2, 500), table("u", "HASH", "month(uid)", 2, 5)))
                .isEmpty();
        assertThat(coPartitioned(from, table("t", "HASH", "year(id)", 2, 500), table("u", "HASH", "year(uid)", 2, 5)))
                .containsExactly("u id=uid");
        assertThat(coPartitioned(from, T, subPartitioned("u", "uid", 5))).isEmpty();
        assertThat(coPartitioned(from, subPartitioned("t", "id", 500), table("u", "HASH", "uid", 1, 5)))
                .isEmpty();
    }

    @Test
    void allPartitioningColumnsMustBeEqual() {
        CatalogTable t = table("t", "KEY", "id,k", 2, 500);
        CatalogTable u = table("u", "KEY", "uid,k", 2, 5);
        assertThat(coPartitioned("t JOIN u ON t.id = u.uid AND t.k = u.k", t, u))
                .containsExactly("u id=uid k=k");
        assertThat(coPartitioned("t JOIN u ON t.id = u.k AND t.k = u.uid", t, u))
                .isEmpty();
        LogicalPlan halfway = analyze("t JOIN u ON t.id = u.uid", t, u);
        assertThat(halfway.coPartitioned()).isEmpty();
        assertThat(halfway.inputs())
                .as("of what is read whole no types are asked for")
                .hasSize(1);
    }

    /** Analyzes a join of both tables with known partitions and with the server's types of the equal columns. */
    private static List<CoPartitionedTable> proven(Column split, Column own) {
        LogicalPlan logical = analyze("t x JOIN u ON x.id = u.uid", T, U);
        CoPartitionedTable coPartitioned = logical.coPartitioned().get(0);
        LogicalPlan joining = logical.joining(
                List.of(new CoPartitionedTable(coPartitioned.table(), coPartitioned.columns(), Map.of("p0", "p0"))));
        return PartitionWiseJoins.proven(
                joining, TypeSample.of(Sample.column("n", ColumnType.LONGLONG, 63, 21, 0, 0), split, own));
    }

    private static Column column(String table, String name, ColumnType type, int flags) {
        return new Column("db", table, "t", name, name, 63, 11, type, flags, 0);
    }

    @Test
    void columnsOfOneTypeAreCoPartitioned() {
        Column id = column("x", "id", ColumnType.LONG, 0);
        assertThat(proven(id, column("u", "uid", ColumnType.LONG, Column.Flags.NOT_NULL)))
                .hasSize(1);
        assertThat(proven(id, column("u", "uid", ColumnType.LONGLONG, 0))).isEmpty();
        assertThat(proven(id, column("u", "uid", ColumnType.LONG, Column.Flags.UNSIGNED)))
                .isEmpty();
    }

    @Test
    void theServerMustKnowTheNamesAsThoseColumns() {
        Column id = column("x", "id", ColumnType.LONG, 0);
        Column uid = column("u", "uid", ColumnType.LONG, 0);
        assertThat(proven(id, uid)).hasSize(1);
        assertThat(proven(column("u", "id", ColumnType.LONG, 0), uid)).isEmpty();
        assertThat(proven(column("x", "k", ColumnType.LONG, 0), uid)).isEmpty();
        assertThat(proven(id, column("x", "uid", ColumnType.LONG, 0))).isEmpty();
        assertThat(proven(id, column("u", "k", ColumnType.LONG, 0))).isEmpty();
    }

    @Test
    void withoutKnownPartitionsATableIsReadWhole() {
        LogicalPlan logical = analyze("t JOIN u ON t.id = u.uid", T, U);
        TypeBinding types = TypeSample.of(
                Sample.column("n", ColumnType.LONGLONG, 63, 21, 0, 0),
                column("t", "id", ColumnType.LONG, 0),
                column("u", "uid", ColumnType.LONG, 0));
        assertThat(PartitionWiseJoins.proven(logical, types)).isEmpty();
    }
}
