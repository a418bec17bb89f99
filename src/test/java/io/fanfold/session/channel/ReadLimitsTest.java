package io.fanfold.session.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

class ReadLimitsTest {
    @Test
    void aClientIsReadTwiceAndTheServerFourTimesInATurn() {
        assertThat(readsInOneTurn(ReadLimits.ofClient())).isEqualTo(2);
        assertThat(readsInOneTurn(ReadLimits.ofServer())).isEqualTo(4);
    }

    /** Returns the number of reads in one turn of a socket that always has more bytes than one read takes. */
    private static int readsInOneTurn(RecvByteBufAllocator limits) {
        ChannelConfig config = new EmbeddedChannel().config();
        RecvByteBufAllocator.ExtendedHandle handle = (RecvByteBufAllocator.ExtendedHandle) limits.newHandle();
        handle.reset(config);
        int reads = 0;
        do {
            ByteBuf buffer = handle.allocate(config.getAllocator());
            assertThat(buffer.capacity()).isLessThanOrEqualTo(64 * 1024);
            handle.attemptedBytesRead(buffer.writableBytes());
            handle.lastBytesRead(buffer.writableBytes());
            handle.incMessagesRead(1);
            buffer.release();
            reads++;
        } while (handle.continueReading() && reads < 100);
        return reads;
    }
}
