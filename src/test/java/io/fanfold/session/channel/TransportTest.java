package io.fanfold.session.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.OpenSsl;
import org.junit.jupiter.api.Test;

/** The build runs it twice, with and without native code. */
class TransportTest {
    @Test
    void linuxHasNativeCodeUnlessItIsForbidden() {
        boolean linux = System.getProperty("os.name").equals("Linux");
        boolean sockets = linux && !Boolean.getBoolean("io.netty.transport.noNative");
        boolean tls = linux && !Boolean.getBoolean("io.netty.handler.ssl.noOpenSsl");
        assertThat(Transport.best()).isEqualTo(sockets ? Transport.EPOLL : Transport.NIO);
        assertThat(OpenSsl.isAvailable()).isEqualTo(tls);
    }
}
