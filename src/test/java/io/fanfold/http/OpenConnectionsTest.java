package io.fanfold.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

class OpenConnectionsTest {
    private final OpenConnections connections = new OpenConnections(2);
    private final EmbeddedChannel first = new EmbeddedChannel();
    private final EmbeddedChannel second = new EmbeddedChannel();
    private final EmbeddedChannel third = new EmbeddedChannel();

    @Test
    void theLongestWaitMakesRoom() {
        connections.add(first);
        connections.waits(first);
        connections.add(second);
        connections.waits(second);
        connections.hasRequest(first);
        connections.waits(first);
        connections.add(third);
        assertThat(second.isOpen())
                .as("it has waited for longer than the first")
                .isFalse();
        assertThat(first.isOpen()).isTrue();
        assertThat(third.isOpen()).isTrue();
        assertThat(connections.size()).isEqualTo(2);
    }

    @Test
    void requestsAreNotCutForNewConnections() {
        connections.add(first);
        connections.add(second);
        connections.add(third);
        assertThat(third.isOpen()).isFalse();
        assertThat(first.isOpen() && second.isOpen()).isTrue();
        connections.waits(third);
        connections.remove(first);
        connections.add(new EmbeddedChannel());
        assertThat(connections.size()).as("a refused one does not wait").isEqualTo(2);
    }
}
