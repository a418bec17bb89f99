package io.fanfold.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks what replies are read from, and that they do not change. */
class ReplyTest {
    @Test
    void anErrorIsReadFromItsPacket() throws Exception {
        byte[] packet = new ServerPacket.Err(1146, "42S02", "Table 'd.t' doesn't exist").encode();
        assertThat(Reply.Failed.decode(packet)).isEqualTo(new Reply.Failed(1146, "42S02", "Table 'd.t' doesn't exist"));
        assertThatThrownBy(() -> Reply.Failed.decode(new byte[] {0, 0, 0})).isInstanceOf(ProtocolException.class);
    }

    @Test
    void bothFormatsOfAnEndHaveStatusAndWarnings() throws Exception {
        ServerPacket.Ok end = ServerPacket.end(ServerPacket.Ok.encode(ServerPacket.EOF, 2, 7));
        assertThat(end.status()).isEqualTo(2);
        assertThat(end.warnings()).isEqualTo(7);
        ServerPacket.Ok old = ServerPacket.end(ServerPacket.Eof.encode(7, 2));
        assertThat(old).usingRecursiveComparison().isEqualTo(end);
        assertThatThrownBy(() -> ServerPacket.end(new byte[] {ServerPacket.OK, 0, 0}))
                .isInstanceOf(ProtocolException.class);
    }

    @Test
    void aRowHasAsManyValuesAsColumns() throws Exception {
        byte[] packet = {1, '5', (byte) 0xfb};
        assertThat(ServerPacket.row(packet, 2).ascii(0)).isEqualTo("5");
        assertThat(ServerPacket.row(packet, 2).ascii(1)).isNull();
        assertThatThrownBy(() -> ServerPacket.row(packet, 3)).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> ServerPacket.row(packet, 1)).isInstanceOf(ProtocolException.class);
    }

    @Test
    void listsAreCopied() {
        List<byte[]> definitions = new ArrayList<>();
        Reply.Prepared prepared = new Reply.Prepared(0, definitions, List.of(), 0);
        definitions.add(new byte[1]);
        assertThat(prepared.columnDefinitions()).isEmpty();
    }
}
