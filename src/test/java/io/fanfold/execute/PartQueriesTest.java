package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.execute.PartQueries.PartQuery;
import io.fanfold.plan.Part;
import java.util.List;
import org.junit.jupiter.api.Test;

class PartQueriesTest {
    @Test
    void givesEachQueryOnceInOrder() {
        PartRun run = new PartRun(0, new Part(0, List.of(new Partition("p0", "p0", 1))));
        PartQuery first = new PartQuery(3, run, () -> new byte[] {1}, null);
        PartQuery second = new PartQuery(0, run, () -> new byte[] {2}, null);
        PartQueries queries = new PartQueries(List.of(first, second), 2);
        assertThat(queries.ahead()).isEqualTo(2);
        assertThat(queries.take()).isSameAs(first);
        assertThat(queries.take()).isSameAs(second);
        assertThat(queries.take()).isNull();
        assertThat(queries.done()).isZero();
        queries.countDone();
        assertThat(queries.done()).isEqualTo(1);
    }
}
