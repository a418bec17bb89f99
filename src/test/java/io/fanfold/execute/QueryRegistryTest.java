package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
    void anUnsplitStatementCountsUntilItIsAnsweredOrItsClientLeaves() {
        FakePort answered = port();
        FakePort left = port();
        List.of(answered, left).forEach(registry::addUnsplit);
        ServerLoad.Mark begin = registry.load().mark();
        await().until(() -> registry.load().meanSince(begin) > 1.9);
        assertThat(registry.others(THREAD)).isEqualTo(2);
        answered.relayed().complete(ClientConnection.RelayEnd.ANSWERED);
        assertThat(registry.others(THREAD)).isEqualTo(1);
        left.clientGone().complete(null);
        assertThat(registry.others(THREAD)).isZero();
        answered.clientGone().complete(null);
        assertThat(registry.others(THREAD)).as("each counts once").isZero();
        ServerLoad.Mark end = registry.load().mark();
        await().until(() -> registry.load().mark().nanos() > end.nanos());
        assertThat(registry.load().meanSince(end)).isZero();
    }
}
