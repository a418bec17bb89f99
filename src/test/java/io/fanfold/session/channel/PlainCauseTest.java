package io.fanfold.session.channel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathBuilderException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class PlainCauseTest {
    private static Throwable caused(Throwable outer, Throwable inner) {
        outer.initCause(inner);
        return outer;
    }

    @Test
    void addressesAreLeftOut() {
        Throwable annotated = caused(
                new ConnectException("Connection refused: db/10.1.2.3:3306"),
                new ConnectException("Connection refused"));
        assertThat(PlainCause.of(annotated)).isEqualTo("connection refused");
        Throwable unreachable = caused(
                new NoRouteToHostException("No route to host: /10.1.2.3:3306"), new IOException("No route to host"));
        assertThat(PlainCause.of(unreachable)).isEqualTo("no route to host");
        Throwable silent = caused(new NoRouteToHostException("null: /10.1.2.3:3306"), new NoRouteToHostException());
        assertThat(PlainCause.of(silent)).isEqualTo("no route to host");
        Throwable called = caused(
                new ConnectException("finishConnect(..) failed with error(-111): Connection refused: /10.1.2.3:3306"),
                new ConnectException("finishConnect(..) failed with error(-111): Connection refused"));
        assertThat(PlainCause.of(called)).isEqualTo("connection refused");
        assertThat(PlainCause.of(new UnknownHostException("db: Name or service not known")))
                .isEqualTo("unknown host");
    }

    @Test
    void namesOfClassesAreLeftOut() {
        Throwable path = caused(
                new SSLHandshakeException("PKIX path building failed: x.y.CertPathBuilderException: no path"),
                new CertPathBuilderException("unable to find valid certification path to requested target"));
        assertThat(PlainCause.of(path)).isEqualTo("unable to find valid certification path to requested target");
        assertThat(PlainCause.isCertificate(path)).isTrue();
        Throwable alert = new SSLException("java.lang.IllegalStateException: TLS alert 40");
        assertThat(PlainCause.of(alert)).isEqualTo("TLS alert 40");
        assertThat(PlainCause.of(new SSLHandshakeException(
                        "error:10000410:SSL routines:OPENSSL_internal:SSLV3_ALERT_HANDSHAKE_FAILURE")))
                .isEqualTo("sslv3 alert handshake failure");
        assertThat(PlainCause.isCertificate(alert)).isFalse();
        assertThat(PlainCause.of(new ClosedChannelException())).isEqualTo("the connection was closed");
    }

    @Test
    void aCauseWithoutWordsIsUnknown() {
        assertThat(PlainCause.of(new SocketException())).isEqualTo("unknown cause");
        assertThat(PlainCause.of(new IllegalStateException())).isEqualTo("unknown cause");
    }

    @Test
    void otherMessagesStayAsTheyAre() {
        Throwable cause = caused(new IOException("A frame is too long"), new IOException("because"));
        assertThat(PlainCause.of(cause)).isEqualTo("A frame is too long");
    }
}
