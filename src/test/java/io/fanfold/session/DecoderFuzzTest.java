package io.fanfold.session;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.binlog.ChangeFuzz;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ServerPacket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A short version of the run with {@code -Pfuzz}. */
class DecoderFuzzTest {
    private static final int INPUTS = Integer.getInteger("fanfold.fuzz.inputs", 300_000);

    /** Valid packets, which the test then damages. */
    private static final byte[][] PACKETS = {
        ScriptedServer.greeting(ScriptedServer.OFFERED),
        ScriptedServer.OK,
        new ServerPacket.Err(1146, "42S02", "no such table").encode(),
        RelayFixture.response(RelayFixture.CLIENT),
        RelayFixture.response(-1),
        HexFormat.of().parseHex("1707000000000100000000010300050000000502010161"),
        "PROXY TCP4 1.2.3.4 5.6.7.8 9 10\r\n".getBytes(StandardCharsets.US_ASCII),
        HexFormat.of().parseHex("0d0a0d0a000d0a515549540a2111000c7f0000017f00000300500051"),
        HexFormat.of()
                .parseHex("fe63616368696e675f736861325f70617373776f7264003132333435363738393031323334353637383930"),
        HexFormat.of().parseHex("78da4b4c04030002a801c2"),
    };

    /** The packets, and events of a binary log. */
    private static final List<byte[]> SEEDS =
            Stream.concat(Stream.of(PACKETS), ChangeFuzz.seeds().stream()).toList();

    @Test
    void arbitraryBytesCauseOnlyARefusal() {
        Random random = new Random(20);
        for (int i = 0; i < INPUTS; i++) {
            byte[] input = input(random);
            assertThatCode(() -> DecoderFuzz.fuzzerTestOneInput(input))
                    .as(() -> "input " + HexFormat.of().formatHex(input))
                    .doesNotThrowAnyException();
        }
    }

    private static byte[] input(Random random) {
        int chosen = random.nextInt(SEEDS.size());
        byte[] seed = SEEDS.get(chosen);
        byte[] content = random.nextInt(4) == 0 ? new byte[random.nextInt(80)] : seed.clone();
        if (content != seed && random.nextInt(4) == 0) {
            random.nextBytes(content);
        }
        for (int damages = random.nextInt(4); damages > 0 && content.length > 0; damages--) {
            switch (random.nextInt(3)) {
                case 0 -> content[random.nextInt(content.length)] = (byte) random.nextInt();
                case 1 -> content = Arrays.copyOf(content, random.nextInt(content.length + 1));
                default -> content = Arrays.copyOf(content, content.length + random.nextInt(5));
            }
        }
        byte[] input = new byte[content.length + 2];
        input[0] = (byte) (chosen < PACKETS.length ? random.nextInt() : DecoderFuzz.CHANGES);
        input[1] = (byte) random.nextInt();
        System.arraycopy(content, 0, input, 2, content.length);
        return input;
    }

    @Test
    void theTargetDoesRead() {
        // the announced length of this string exceeds the bytes that follow
        byte[] column = HexFormat.of().parseHex("0300" + "7f");
        assertThatCode(() -> DecoderFuzz.fuzzerTestOneInput(column)).doesNotThrowAnyException();
        assertThatThrownBy(() -> ServerPacket.column(new byte[] {0x7f}, 0)).isInstanceOf(ProtocolException.class);
    }
}
