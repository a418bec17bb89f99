package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.execute.BatchQueries.BatchQuery;
import java.util.List;
import org.junit.jupiter.api.Test;

class BatchQueriesTest {
    @Test
    void givesEachQueryOnceInOrder() {
        BatchQuery first = new BatchQuery(3, () -> new byte[] {1});
        BatchQuery second = new BatchQuery(0, () -> new byte[] {2});
        BatchQueries queries = new BatchQueries(List.of(first, second), 2);
        assertThat(queries.ahead()).isEqualTo(2);
        assertThat(queries.take()).isSameAs(first);
        assertThat(queries.take()).isSameAs(second);
        assertThat(queries.take()).isNull();
        assertThat(queries.done()).isZero();
        queries.countDone();
        assertThat(queries.done()).isEqualTo(1);
    }
}
