package io.fanfold.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.config.ListenerTlsConfig.ListenerTlsMode;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.openssl.jcajce.JcaMiscPEMGenerator;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.openssl.jcajce.JceOpenSSLPKCS8EncryptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class KeyFilesTest {
    @TempDir
    Path folder = Path.of("");

    @Test
    void theCreatedCertificateIsKept() throws Exception {
        Path kept = folder.resolve("new").resolve("tls");
        Identity made = SelfSignedCertificate.identity(kept);
        Identity again = SelfSignedCertificate.identity(kept);
        assertThat(again.chain()).isEqualTo(made.chain());
        assertThat(again.key()).isEqualTo(made.key());
        X509Certificate certificate = made.chain().get(0);
        certificate.checkValidity();
        certificate.verify(certificate.getPublicKey());
        assertThat(certificate.getSubjectAlternativeNames().toString()).contains("localhost", "127.0.0.1");
        assertThat(SelfSignedCertificate.identity(null).chain()).isNotEqualTo(made.chain());
    }

    @Test
    @EnabledOnOs(
            value = {OS.LINUX, OS.MAC},
            disabledReason = "no other system has these permissions")
    void keysAreForTheirOwnerAlone() throws Exception {
        SelfSignedCertificate.identity(folder);
        SelfSignedCertificate.passwordKeys(folder);
        for (String key : new String[] {SelfSignedCertificate.KEY, SelfSignedCertificate.PASSWORD_KEY}) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(key))))
                    .isEqualTo("rw-------");
        }
        try (var files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            SelfSignedCertificate.KEY,
                            SelfSignedCertificate.CERTIFICATE,
                            SelfSignedCertificate.PASSWORD_KEY,
                            SelfSignedCertificate.PUBLIC_PASSWORD_KEY);
        }
    }

    /** A directory that cannot be written, such as a file. */
    @Test
    void theCertificateIsCreatedEvenIfItCannotBeStored() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "");
        assertThat(SelfSignedCertificate.identity(file).chain()).hasSize(1);
        assertThat(RsaKeys.of(file).pem()).startsWith("-----BEGIN PUBLIC KEY-----".getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void passwordsGoThereAndBack() throws Exception {
        RsaKeys keys = RsaKeys.of(folder);
        byte[] challenge = "12345678901234567890\0".getBytes(StandardCharsets.US_ASCII);
        for (String password : new String[] {"", "pw", "p\u00e4\u00df", "x".repeat(200)}) {
            byte[] text = (password + "\0").getBytes(StandardCharsets.UTF_8);
            byte[] secret = RsaKeys.encrypted(text, challenge, keys.pem());
            assertThat(secret).hasSize(256);
            assertThat(RsaKeys.of(folder).decrypted(secret, challenge)).isEqualTo(text);
            assertThatThrownBy(() -> RsaKeys.of(null).decrypted(secret, challenge))
                    .isInstanceOf(java.security.GeneralSecurityException.class);
        }
        byte[] unended = RsaKeys.encrypted(new byte[] {'a'}, challenge, keys.pem());
        assertThatThrownBy(() -> keys.decrypted(unended, challenge)).hasMessageContaining("zero byte");
        assertThatThrownBy(() -> RsaKeys.encrypted(new byte[1], new byte[19], keys.pem()))
                .hasMessageContaining("19 bytes");
        assertThatThrownBy(() -> RsaKeys.encrypted(new byte[1], challenge, new byte[] {'#'}))
                .isInstanceOf(java.security.GeneralSecurityException.class);
    }

    @Test
    void keysOfEveryFormAreRead() throws Exception {
        KeyPairGenerator rsa = KeyPairGenerator.getInstance("RSA");
        rsa.initialize(2048);
        KeyPairGenerator ec = KeyPairGenerator.getInstance("EC");
        ec.initialize(256);
        for (KeyPairGenerator generator : new KeyPairGenerator[] {rsa, ec}) {
            PrivateKey key = generator.generateKeyPair().getPrivate();
            if (generator == rsa) {
                // the older format
                assertThat(PemFiles.privateKey(pem(new JcaMiscPEMGenerator(key))))
                        .isEqualTo(key);
            }
            assertThat(PemFiles.privateKey(pem(new JcaPKCS8Generator(key, null))))
                    .isEqualTo(key);
            Path locked = pem(new JcaPKCS8Generator(
                    key,
                    new JceOpenSSLPKCS8EncryptorBuilder(JcaPKCS8Generator.AES_256_CBC)
                            .setProvider(new BouncyCastleProvider())
                            .setPassword("pw".toCharArray())
                            .build()));
            assertThatThrownBy(() -> PemFiles.privateKey(locked))
                    .isInstanceOf(TlsException.class)
                    .hasMessageContaining("is encrypted");
        }
    }

    /** The format that {@code openssl ecparam -genkey} writes. */
    @Test
    void theOlderFormOfEllipticCurvesIsRead() throws Exception {
        Path file = Files.writeString(folder.resolve("ec.pem"), """
                -----BEGIN EC PARAMETERS-----
                BggqhkjOPQMBBw==
                -----END EC PARAMETERS-----
                -----BEGIN EC PRIVATE KEY-----
                MHcCAQEEIBL9aGBTDIEjCcZidkkqhP3foKGX3HNaKtcKPrFJEZv1oAoGCCqGSM49
                AwEHoUQDQgAEYM8BYI1gEjkBmD4GxtYJraA9dlF4ZKCw4LY2c5oNAoBtpF6IIlDh
                1gkt8WCWQtS+JirNYXgOdXg+Y4GrQrTYmQ==
                -----END EC PRIVATE KEY-----
                """);
        assertThat(PemFiles.privateKey(file).getAlgorithm()).isIn("EC", "ECDSA");
    }

    private Path pem(Object content) throws Exception {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(content);
        }
        return Files.writeString(Files.createTempFile(folder, "key", ".pem"), text.toString());
    }

    @Test
    void mistakesAreReportedWithTheirFile() throws Exception {
        TestAuthority authority = TestAuthority.in(folder);
        TestAuthority.Pair one = authority.sign("one");
        TestAuthority.Pair other = authority.sign("other");
        Path none = Files.writeString(folder.resolve("none.pem"), "no key\n");
        assertThat(PemFiles.identity(one.certificate(), one.key()).chain()).hasSize(1);
        assertThatThrownBy(() -> PemFiles.identity(one.certificate(), other.key()))
                .hasMessageContaining("does not fit")
                .hasMessageContaining("one-cert.pem")
                .hasMessageContaining("other-key.pem");
        assertThatThrownBy(() -> PemFiles.privateKey(none)).hasMessageContaining("none.pem holds no private key");
        assertThatThrownBy(() -> PemFiles.certificates(none)).hasMessageContaining("none.pem holds no certificate");
        Path damaged = Files.writeString(
                folder.resolve("damaged.pem"), "-----BEGIN PRIVATE KEY-----\nMC4CAQ*w\n-----END PRIVATE KEY-----\n");
        assertThatThrownBy(() -> PemFiles.privateKey(damaged))
                .isInstanceOf(TlsException.class)
                .hasMessageContaining("damaged.pem");
        assertThatThrownBy(() -> PemFiles.certificates(folder.resolve("missing")))
                .hasMessageContaining("missing cannot be read");
    }

    @Test
    void aChainIsReadWhole() throws Exception {
        TestAuthority authority = TestAuthority.in(folder);
        TestAuthority.Pair pair = authority.sign("chained");
        Files.writeString(
                pair.certificate(), Files.readString(pair.certificate()) + Files.readString(authority.file()));
        assertThat(PemFiles.identity(pair.certificate(), pair.key()).chain()).hasSize(2);
    }

    @Test
    void changedFilesAreTakenIntoUseOnceTheyAreWhole() throws Exception {
        Path file = Files.writeString(folder.resolve("watched"), "1");
        AtomicInteger made = new AtomicInteger();
        WatchedFiles<String> watched = new WatchedFiles<>(
                () -> {
                    made.incrementAndGet();
                    try {
                        String text = Files.readString(file);
                        if (text.isEmpty()) {
                            throw new TlsException("half written");
                        }
                        return text;
                    } catch (java.io.IOException e) {
                        throw new TlsException("unreadable", e);
                    }
                },
                file,
                null);
        watched.look();
        assertThat(made).hasValue(1);
        change(file, "", 1);
        watched.look();
        assertThat(watched.current()).as("the last one that was whole").isEqualTo("1");
        change(file, "2", 2);
        watched.look();
        watched.look();
        assertThat(watched.current()).isEqualTo("2");
        assertThat(made).hasValue(3);
        Files.delete(file);
        watched.look();
        assertThat(watched.current()).isEqualTo("2");
    }

    private static void change(Path file, String text, int seconds) throws Exception {
        Files.writeString(file, text);
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(seconds)));
    }

    @Test
    void aListenerDoesNotStartWithFilesThatDoNotFit() throws Exception {
        TestAuthority authority = TestAuthority.in(folder);
        Path certificate = authority.sign("a").certificate();
        Path key = authority.sign("b").key();
        assertThatThrownBy(() -> new ListenerTls(
                        ListenerTlsConfig.of(ListenerTlsMode.PREFERRED).withCertificate(certificate, key)))
                .isInstanceOf(TlsException.class)
                .hasMessageContaining("does not fit");
    }
}
