package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.plan.Part;
import io.fanfold.wire.Reply;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueryRegistryTest {
    private static final long THREAD = 7;

    private final QueryRegistry registry = new QueryRegistry();

    private static FakePort port() {
        return new FakePort(command -> new Reply.Failed(1064, "42000", "asked " + command));
    }

    @Test
    void aStatementIsNoOtherOfItself() {
        QueryExecution query = new QueryExecution(THREAD, Runnable::run);
        registry.add(query);
        assertThat(registry.others(THREAD)).isZero();
        assertThat(registry.others(THREAD + 1)).isEqualTo(1);
        registry.remove(query);
        assertThat(registry.others(THREAD + 1)).isZero();
    }

    @Test
    void eachRunningPartitionQueryCounts() {
        QueryExecution query = new QueryExecution(THREAD, Runnable::run);
        FanOutProgress progress = query.progress();
        registry.add(query);
        registry.addUnsplit(port());
        assertThat(registry.queriesOfOthers(THREAD + 1))
                .as("before its partition queries")
                .isEqualTo(1);
        Part part = new Part(0, List.of(new Partition("p0", "p0", 1)));
        List<PartRun> runs = List.of(progress.waits(0, part), progress.waits(0, part), progress.waits(0, part));
        runs.forEach(run -> progress.starts(run, 8));
        assertThat(registry.queriesOfOthers(THREAD + 1)).isEqualTo(4);
        progress.ended(runs.get(0));
        assertThat(registry.queriesOfOthers(THREAD + 1)).isEqualTo(3);
        assertThat(registry.queriesOfOthers(THREAD)).isEqualTo(1);
    }

    @Test
    void anUnsplitStatementCountsUntilItIsAnsweredOrItsClientLeaves() {
        FakePort answered = port();
        FakePort left = port();
        List.of(answered, left).forEach(registry::addUnsplit);
        assertThat(registry.others(THREAD)).isEqualTo(2);
        answered.relayed().complete(ClientConnection.RelayEnd.ANSWERED);
        assertThat(registry.others(THREAD)).isEqualTo(1);
        left.clientGone().complete(null);
        assertThat(registry.others(THREAD)).isZero();
        answered.clientGone().complete(null);
        assertThat(registry.others(THREAD)).as("each counts once").isZero();
    }
}
