package io.fanfold.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.row.Row;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RowEstimatesTest {
    private final Map<String, String> rows = new HashMap<>();
    private final List<String> asked = new ArrayList<>();

    private List<Row> answer(String sql) throws IOException {
        asked.add(sql);
        if (sql.startsWith("SET ")) {
            return List.of();
        }
        String estimate = rows.get(sql.replaceAll(".*PARTITION \\(|\\)", ""));
        if (estimate == null) {
            throw new IOException("1142: SELECT command denied");
        }
        List<byte[]> values = new ArrayList<>();
        for (int column = 0; column < 12; column++) {
            values.add(column == 9 ? estimate.getBytes(StandardCharsets.US_ASCII) : null);
        }
        return List.of(Row.ofValues(values));
    }

    private static CatalogTable table(String name, String... partitions) {
        List<Partition> list = new ArrayList<>();
        for (String partition : partitions) {
            list.add(new Partition(partition, "x_" + partition, 0));
        }
        return new CatalogTable(new TableName("d", name), "HASH", "`a`", list);
    }

    private List<Long> of(CatalogTable... tables) throws IOException {
        return RowEstimates.estimated(List.of(tables), this::answer).stream()
                .flatMap(table -> table.partitions().stream())
                .map(Partition::estimatedRows)
                .toList();
    }

    @Test
    void eachPartitionIsExplained() throws IOException {
        rows.put("`p0`", "33");
        rows.put("`p``1`", "7");
        assertThat(of(table("t", "p0", "p`1"))).containsExactly(33L, 7L);
        assertThat(asked)
                .containsExactly(
                        "SET SESSION lock_wait_timeout = 1",
                        "EXPLAIN FORMAT=TRADITIONAL SELECT 1 FROM `d`.`t` PARTITION (`p0`)",
                        "EXPLAIN FORMAT=TRADITIONAL SELECT 1 FROM `d`.`t` PARTITION (`p``1`)");
    }

    @Test
    void partitionsAreNotAskedForOneByOneIfThereAreVeryMany() throws IOException {
        String[] names = new String[257];
        for (int i = 0; i < names.length; i++) {
            names[i] = "p" + i;
        }
        rows.put("EXPLAIN FORMAT=TRADITIONAL SELECT 1 FROM `d`.`t`", "2575");
        assertThat(of(table("t", names))).hasSize(257).containsOnly(10L);
        assertThat(asked).hasSize(2);
    }

    @Test
    void aTableThatCannotBeExplainedHasNoEstimateAndDoesNotAffectOthers() throws IOException {
        rows.put("`p0`", "33");
        assertThat(of(table("denied", "q0", "q1"), table("t", "p0"))).containsExactly(0L, 0L, 33L);
        assertThat(asked.stream().filter(sql -> sql.contains("denied"))).hasSize(1);
    }
}
