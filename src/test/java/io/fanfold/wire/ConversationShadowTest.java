package io.fanfold.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A conversation says the same as {@link ResponseTracker} of random commands and packets. */
class ConversationShadowTest {
    private static final int[] CODES = {
        1, 2, 3, 3, 3, 4, 9, 0x0a, 0x0c, 0x0e, 0x11, 0x16, 0x16, 0x17, 0x17, 0x18, 0x19, 0x1a, 0x1c, 0x1f, 0xfa
    };
    private static final int[] FIRSTS = {0, 0, 0, 1, 2, 0x33, 0xfb, 0xfc, 0xfe, 0xfe, 0xff};

    @Test
    void bothSayTheSame() throws ProtocolException {
        for (int seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            long capabilities = Capability.PROTOCOL_41
                    | (random.nextBoolean() ? Capability.DEPRECATE_EOF : 0)
                    | (random.nextInt(4) == 0 ? Capability.OPTIONAL_RESULTSET_METADATA : 0)
                    | (random.nextInt(4) == 0 ? Capability.MARIADB_PROGRESS : 0);
            ResponseTracker tracker = new ResponseTracker(capabilities, 2);
            long[] ended = {-1};
            PacketRole[] role = {PacketRole.UNSOLICITED};
            Conversation conversation = new Conversation(capabilities, 2, SequenceRule.COUNTED, packet -> {});
            for (int step = 0; step < 60; step++) {
                if (random.nextInt(4) == 0 || tracker.idle()) {
                    byte[] command = new byte[6];
                    command[0] = (byte) (random.nextInt(200) == 0 ? 0x12 : CODES[random.nextInt(CODES.length)]);
                    command[5] = (byte) random.nextInt(2);
                    long number = tracker.command(command, command.length);
                    conversation.sent(Exchange.of(command, Exchange.Audience.CLIENT, (found, packet, last) -> {
                        role[0] = found;
                        ended[0] = last ? number : -1;
                    }));
                } else if (tracker.clientSendsData()) {
                    int length = random.nextInt(2);
                    tracker.clientData(length);
                    conversation.clientData(length, 1);
                } else {
                    byte[] payload = new byte[random.nextInt(20)];
                    for (int i = 0; i < payload.length; i++) {
                        payload[i] = (byte)
                                (i == 0
                                        ? FIRSTS[random.nextInt(FIRSTS.length)]
                                        : random.nextInt(12) == 0 ? random.nextInt(256) : random.nextInt(3));
                    }
                    boolean opaque = tracker.opaque();
                    role[0] = opaque ? PacketRole.OPAQUE : PacketRole.UNSOLICITED;
                    ended[0] = -1;
                    PacketRole expected = tracker.packet(payload, payload.length, payload.length);
                    byte[] framed = new byte[payload.length + 4];
                    PacketCodec.frame(payload, framed, 0, 1);
                    conversation.received(Unpooled.wrappedBuffer(framed), bytes -> bytes.release());
                    assertThat(role[0]).as("seed %d", seed).isEqualTo(expected);
                    assertThat(ended[0]).as("seed %d", seed).isEqualTo(tracker.ended());
                }
                assertThat(conversation.opaque()).as("seed %d", seed).isEqualTo(tracker.opaque());
                assertThat(conversation.idle()).isEqualTo(tracker.idle());
                assertThat(conversation.owed()).isEqualTo(tracker.inFlight());
                assertThat(conversation.status()).isEqualTo(tracker.status());
                assertThat(conversation.lastError()).isEqualTo(tracker.lastError());
                assertThat(conversation.clientSendsData()).isEqualTo(tracker.clientSendsData());
            }
        }
    }
}
