package io.fanfold.session.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.OpenSsl;
import org.junit.jupiter.api.Test;

/** The build runs it twice, with and without native code. */
class TransportTest {
    @Test
    void linuxHasNativeCodeUnlessItIsForbidden() {
        boolean forbidden = Boolean.getBoolean("io.netty.transport.noNative");
        boolean expected = System.getProperty("os.name").equals("Linux") && !forbidden;
        assertThat(OpenSsl.isAvailable()).isEqualTo(expected);
        assertThat(Transport.best()).isEqualTo(expected ? Transport.EPOLL : Transport.NIO);
    }
}
