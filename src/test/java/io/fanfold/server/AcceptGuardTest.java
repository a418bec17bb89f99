package io.fanfold.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AcceptGuardTest {
    /** File handles, all of which others may take. */
    private static final class Handles implements AcceptGuard.Handles {
        private int held;
        private boolean taken;

        @Override
        public Closeable open() throws IOException {
            if (taken) {
                throw new IOException("Too many open files");
            }
            held++;
            return () -> held--;
        }
    }

    private final Handles handles = new Handles();
    private final EmbeddedChannel listener = new EmbeddedChannel(new AcceptGuard(handles));

    private void cannotAccept() {
        listener.pipeline().fireExceptionCaught(new IOException("Too many open files"));
    }

    /** Makes another process take each handle that is released. */
    private void useUp() {
        for (int i = 0; i < AcceptGuard.RESERVE; i++) {
            cannotAccept();
            assertThat(listener.config().isAutoRead()).isTrue();
        }
        assertThat(handles.held).isZero();
    }

    private EmbeddedChannel accepted() {
        EmbeddedChannel client = new EmbeddedChannel();
        listener.pipeline().fireChannelRead(client);
        EmbeddedChannel passedOn = listener.readInbound();
        assertThat(passedOn).isSameAs(client);
        return client;
    }

    private static boolean refused(EmbeddedChannel client) {
        return client.hasAttr(AcceptGuard.REFUSED);
    }

    @Test
    void refusesWithTheHandleInReserve() {
        assertThat(handles.held).isEqualTo(AcceptGuard.RESERVE);
        cannotAccept();
        assertThat(handles.held).isEqualTo(AcceptGuard.RESERVE - 1);
        assertThat(listener.config().isAutoRead()).isTrue();
        EmbeddedChannel client = accepted();
        assertThat(refused(client)).isTrue();
        listener.pipeline().fireChannelReadComplete();
        assertThat(handles.held).as("while it is being refused").isEqualTo(AcceptGuard.RESERVE - 1);
        assertThat(client.close().isSuccess()).isTrue();
        listener.runPendingTasks();
        assertThat(handles.held).isEqualTo(AcceptGuard.RESERVE);
        assertThat(refused(accepted())).isFalse();
    }

    @Test
    void waitsIfTheReserveIsUsedUp() {
        useUp();
        EmbeddedChannel client = accepted();
        assertThat(refused(client)).isTrue();
        cannotAccept();
        assertThat(listener.config().isAutoRead()).isFalse();
        assertThat(client.close().isSuccess()).isTrue();
        listener.runPendingTasks();
        assertThat(listener.config().isAutoRead()).as("at once when it is back").isTrue();
        assertThat(handles.held).isEqualTo(AcceptGuard.RESERVE);
    }

    @Test
    void triesAgainAfterAPauseIfOthersTookTheHandles() {
        useUp();
        handles.taken = true;
        cannotAccept();
        assertThat(listener.config().isAutoRead()).isFalse();
        listener.advanceTimeBy(AcceptGuard.PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        listener.runScheduledPendingTasks();
        assertThat(listener.config().isAutoRead()).isTrue();
        handles.taken = false;
        cannotAccept();
        assertThat(listener.config().isAutoRead()).isFalse();
        listener.advanceTimeBy(AcceptGuard.PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        listener.runScheduledPendingTasks();
        assertThat(handles.held).isEqualTo(AcceptGuard.RESERVE);
        assertThat(refused(accepted())).isFalse();
    }

    @Test
    void refusesNoClientThatHasGone() {
        cannotAccept();
        listener.pipeline().fireChannelReadComplete();
        assertThat(handles.held).isEqualTo(AcceptGuard.RESERVE);
        assertThat(refused(accepted())).isFalse();
    }

    @Test
    void givesTheReserveBackWhenItEnds() {
        listener.pipeline().removeFirst();
        assertThat(handles.held).isZero();
    }
}
