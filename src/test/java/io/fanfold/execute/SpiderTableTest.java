package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.catalog.PartitionScheme.Definition;
import io.fanfold.plan.Part;
import io.fanfold.sql.SelectModel.TablePlace;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.TextRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SpiderTableTest {
    private static final TableRef TABLE =
            new TableRef(new TextRange(0, 1), "db", "t", null, false, Optional.empty(), TablePlace.FROM);

    private static SpiderTable table(String... comments) {
        List<Definition> partitions = new ArrayList<>();
        for (String comment : comments) {
            partitions.add(new Definition("p" + partitions.size(), "", comment));
        }
        return new SpiderTable(TABLE, partitions, List.of());
    }

    private static List<String> turns(SpiderTable table, String... partitions) {
        List<Part> parts = new ArrayList<>();
        for (String name : partitions) {
            parts.add(new Part(parts.size(), List.of(new Partition(name, name, 10))));
        }
        return table.byTurns(parts).stream()
                .flatMap(part -> part.names().stream())
                .toList();
    }

    @Test
    void workersAskAllServersFirst() {
        SpiderTable table = table(
                "srv \"a\", table \"t0\"",
                "table \"t1\",srv \"a\"",
                "srv \"a\", TBL \"t2\"",
                "srv \"b\", table \"t0\"",
                "srv \"b\"",
                "srv \"c\"");
        assertThat(table.servers()).isEqualTo(3);
        assertThat(turns(table, "p0", "p1", "p2", "p3", "p4", "p5"))
                .containsExactly("p0", "p3", "p5", "p1", "p4", "p2");
        assertThat(turns(table, "p2", "P1", "p4")).containsExactly("p2", "p4", "P1");
    }

    @Test
    void withoutCommentsAllPartitionsAreOnTheServerOfTheTable() {
        SpiderTable table = table("", "", "table \"x\"");
        assertThat(table.servers()).isEqualTo(1);
        assertThat(turns(table, "p2", "p0", "p1")).containsExactly("p2", "p0", "p1");
    }

    @Test
    void aServerMayBeGivenByHostAndPort() {
        assertThat(table("host \"h\", port \"1\"", "host \"h\", port \"2\"", "host \"h\", port \"1\", table \"y\"")
                        .servers())
                .isEqualTo(2);
    }
}
