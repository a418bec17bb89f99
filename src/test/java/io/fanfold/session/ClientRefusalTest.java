package io.fanfold.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.ServerPacket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ClientRefusalTest {
    private static ServerPacket.Err refused(Consumer<EmbeddedChannel> refusal) throws Exception {
        EmbeddedChannel client = new EmbeddedChannel();
        refusal.accept(client);
        ByteBuf packet = client.readOutbound();
        assertThat(packet.getByte(PacketCodec.HEADER - 1))
                .as("its sequence id, as of a greeting")
                .isZero();
        byte[] payload = ByteBufUtil.getBytes(packet, PacketCodec.HEADER, packet.readableBytes() - PacketCodec.HEADER);
        packet.release();
        assertThat(client.isOpen()).isFalse();
        return ServerPacket.Err.decode(payload);
    }

    @Test
    void theErrorSaysWhy() throws Exception {
        assertThat(refused(ClientRefusal::tooMany))
                .isEqualTo(new ServerPacket.Err(1040, "08004", "Too many connections"));
        assertThat(refused(ClientRefusal::stopping))
                .isEqualTo(new ServerPacket.Err(1053, "08S01", "Server shutdown in progress"));
    }
}
