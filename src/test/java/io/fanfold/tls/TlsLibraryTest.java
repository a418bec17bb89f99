package io.fanfold.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.SslProvider;
import java.security.KeyPairGenerator;
import java.util.List;
import org.junit.jupiter.api.Test;

class TlsLibraryTest {
    private static SslProvider library(String algorithm) throws Exception {
        return TlsLibrary.of(new Identity(
                KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPrivate(), List.of()));
    }

    @Test
    void aKeyThatBoringSslDoesNotShowIsForTheJavaRuntime() throws Exception {
        assertThat(library("Ed25519")).isEqualTo(SslProvider.JDK);
        assertThat(library("EC")).isEqualTo(TlsLibrary.best());
        assertThat(library("RSA")).isEqualTo(TlsLibrary.best());
    }
}
