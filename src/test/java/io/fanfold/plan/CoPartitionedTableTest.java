package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.PartitionScheme;
import io.fanfold.catalog.PartitionScheme.Definition;
import io.fanfold.catalog.Partitioning;
import io.fanfold.plan.CoPartitionedTable.Pair;
import io.fanfold.sql.SelectModel.TableRef;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CoPartitionedTableTest {
    private static final TableRef TABLE = Sample.read("SELECT COUNT(*) FROM t JOIN u ON t.id = u.uid")
            .tables()
            .get(1);
    private static final CoPartitionedTable PARTNER = coPartitioned(new Pair(column("id"), column("uid")));

    private static CoPartitionedTable coPartitioned(Pair... columns) {
        return new CoPartitionedTable(TABLE, List.of(columns), Map.of());
    }

    private static PartitioningColumn column(String name) {
        return new PartitioningColumn(0, name);
    }

    private static PartitionScheme scheme(String columns, String... partitions) {
        return new PartitionScheme(
                new Partitioning("KEY", columns),
                Arrays.stream(partitions).map(name -> new Definition(name, "")).toList());
    }

    @Test
    void partitionsOfTheSameNumberBelongTogether() {
        assertThat(PARTNER.proven(scheme("id", "P0", "p1"), scheme("uid", "q0", "q1")))
                .contains(new CoPartitionedTable(TABLE, PARTNER.columns(), Map.of("p0", "q0", "p1", "q1")));
    }

    @Test
    void tablesWithOtherPartitionsAreNotCoPartitioned() {
        assertThat(PARTNER.proven(scheme("id", "p0", "p1"), scheme("uid", "p0", "p1", "p2")))
                .isEmpty();
    }

    @Test
    void theEqualColumnsMustBeThePartitioningColumnsOfBoth() {
        assertThat(PARTNER.proven(scheme("k", "p0"), scheme("uid", "p0"))).isEmpty();
        assertThat(PARTNER.proven(scheme("id", "p0"), scheme("k", "p0"))).isEmpty();
    }

    @Test
    void severalColumnsMustBeEqualInTheOrderOfThePartitioning() {
        CoPartitionedTable coPartitioned =
                coPartitioned(new Pair(column("a"), column("x")), new Pair(column("b"), column("y")));
        assertThat(coPartitioned.proven(scheme("a,b", "p0"), scheme("x,y", "p0")))
                .isPresent();
        assertThat(coPartitioned.proven(scheme("b,a", "p0"), scheme("x,y", "p0")))
                .isEmpty();
        assertThat(coPartitioned.proven(scheme("a,b", "p0"), scheme("y,x", "p0")))
                .isEmpty();
    }
}
