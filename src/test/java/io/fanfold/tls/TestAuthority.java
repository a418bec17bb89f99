package io.fanfold.tls;

import java.io.IOException;
import java.io.Writer;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.concurrent.atomic.AtomicLong;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** An authority that signs certificates for tests. All files are in one folder. */
public final class TestAuthority {
    private static final AtomicLong SERIAL = new AtomicLong(1);

    private final Path folder;
    private final X500Name name;
    private final KeyPair keys;

    /** A certificate and its key, as PEM files. */
    public record Pair(Path certificate, Path key) {}

    private TestAuthority(Path folder, X500Name name, KeyPair keys) {
        this.folder = folder;
        this.name = name;
        this.keys = keys;
    }

    /** Creates an authority; its own certificate is {@link #file}. */
    public static TestAuthority in(Path folder) throws IOException {
        long serial = SERIAL.getAndIncrement();
        KeyPair keys = keyPair();
        TestAuthority authority = new TestAuthority(folder, new X500Name("CN=test authority " + serial), keys);
        X509v3CertificateBuilder builder = authority.builder(authority.name, keys, serial);
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
        authority.write(authority.file(), authority.signed(builder));
        return authority;
    }

    public Path file() {
        return folder.resolve("ca.pem");
    }

    /** Signs a certificate and replaces the files of an earlier one with the same name. */
    public Pair sign(String subject, GeneralName... alternatives) throws IOException {
        KeyPair own = keyPair();
        X509v3CertificateBuilder builder = builder(new X500Name("CN=" + subject), own, SERIAL.getAndIncrement());
        if (alternatives.length > 0) {
            builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(alternatives));
        }
        Pair pair = new Pair(folder.resolve(subject + "-cert.pem"), folder.resolve(subject + "-key.pem"));
        write(pair.key(), own.getPrivate());
        write(pair.certificate(), signed(builder));
        return pair;
    }

    private X509v3CertificateBuilder builder(X500Name subject, KeyPair own, long serial) {
        Instant now = Instant.now();
        return new JcaX509v3CertificateBuilder(
                name,
                BigInteger.valueOf(serial),
                Date.from(now.minus(Duration.ofDays(1))),
                Date.from(now.plus(Duration.ofDays(1))),
                subject,
                own.getPublic());
    }

    private Object signed(X509v3CertificateBuilder builder) throws IOException {
        try {
            return new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(new JcaContentSignerBuilder("SHA256withRSA").build(keys.getPrivate())));
        } catch (GeneralSecurityException | OperatorCreationException e) {
            throw new IOException("no certificate could be made", e);
        }
    }

    private static KeyPair keyPair() throws IOException {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IOException("this Java runtime lacks RSA", e);
        }
    }

    private void write(Path file, Object content) throws IOException {
        try (Writer out = Files.newBufferedWriter(file, StandardCharsets.US_ASCII);
                JcaPEMWriter writer = new JcaPEMWriter(out)) {
            writer.writeObject(content);
        }
    }
}
