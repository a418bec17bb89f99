package io.fanfold.session.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.wire.ServerPacket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ArchitectureTest} checks that all errors for clients pass through one place. */
class ProxyErrorTest {
    @ParameterizedTest
    @EnumSource
    void noneHasACodeOfTheClientLibraries(ProxyError error) throws Exception {
        ServerPacket.Err sent = ServerPacket.Err.decode(error.payload("why"));
        assertThat(sent.code()).isEqualTo(error.code()).matches(code -> code < 2000 || code > 2999);
        assertThat(sent.sqlState()).hasSize(5);
        assertThat(sent.message()).isEqualTo("why");
    }

    /** A worker's server may send such codes if it is itself a client of other servers. */
    @ParameterizedTest
    @ValueSource(ints = {2000, 2003, 2006, 2013, 2026, 2999})
    void codesOfTheClientLibrariesAreReplaced(int code) throws Exception {
        byte[] sent = ProxyError.payload(new ServerPacket.Err(code, "08S01", "gone"));
        assertThat(ServerPacket.Err.decode(sent)).isEqualTo(new ServerPacket.Err(1105, "HY000", "gone"));
    }

    @Test
    void otherErrorsStayAsTheyAre() throws Exception {
        for (int code : new int[] {1064, 1999, 3000, 4031}) {
            ServerPacket.Err error = new ServerPacket.Err(code, "42000", "no");
            assertThat(ServerPacket.Err.decode(ProxyError.payload(error))).isEqualTo(error);
        }
    }
}
