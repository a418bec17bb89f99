package io.fanfold.tls;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates a self-signed certificate and keys if none are configured, and keeps them in a directory under MySQL's file
 * names.
 */
final class SelfSignedCertificate {
    static final String CERTIFICATE = "server-cert.pem";
    static final String KEY = "server-key.pem";
    static final String PASSWORD_KEY = "private_key.pem";
    static final String PUBLIC_PASSWORD_KEY = "public_key.pem";

    private static final Logger LOG = LoggerFactory.getLogger(SelfSignedCertificate.class);

    private static final int BITS = 2048;
    private static final Duration YEARS = Duration.ofDays(3650);
    private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?");

    private SelfSignedCertificate() {}

    /**
     * Returns the directory's certificate, or creates one. It stays in memory only if there is no directory or it
     * cannot be written.
     */
    static Identity identity(@Nullable Path directory) throws TlsException {
        if (directory == null) {
            return selfSigned();
        }
        Path certificate = directory.resolve(CERTIFICATE);
        Path key = directory.resolve(KEY);
        if (Files.exists(certificate) && Files.exists(key)) {
            return PemFiles.identity(certificate, key);
        }
        Identity made = selfSigned();
        try {
            keep(key, made.key(), true);
            keep(certificate, made.chain().get(0), false);
            LOG.info("a certificate was made: {}", certificate);
        } catch (IOException e) {
            LOG.warn("the certificate that was made cannot be kept, the next start makes another: {}", e.toString());
        }
        return made;
    }

    /**
     * Returns the directory's RSA keys for password encryption, or creates them. They stay in memory only if there is
     * no directory or it cannot be written.
     */
    static KeyPair passwordKeys(@Nullable Path directory) throws TlsException {
        if (directory == null) {
            return keyPair();
        }
        Path file = directory.resolve(PASSWORD_KEY);
        if (Files.exists(file)) {
            return RsaKeys.pair(PemFiles.privateKey(file), file.toString());
        }
        KeyPair made = keyPair();
        try {
            keep(file, made.getPrivate(), true);
            keep(directory.resolve(PUBLIC_PASSWORD_KEY), made.getPublic(), false);
        } catch (IOException e) {
            LOG.warn("the RSA keys that were made cannot be kept, the next start makes others: {}", e.toString());
        }
        return made;
    }

    private static KeyPair keyPair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(BITS);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime lacks RSA", e);
        }
    }

    private static Identity selfSigned() throws TlsException {
        KeyPair keys = keyPair();
        Set<String> hosts = new LinkedHashSet<>();
        hosts.add(hostName());
        hosts.add("localhost");
        X500Name name = new X500Name("CN=Fanfold " + hosts.iterator().next());
        Instant now = Instant.now();
        // a serial number is at most 20 bytes long and positive
        BigInteger serial = new BigInteger(127, new SecureRandom()).add(BigInteger.ONE);
        X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                name,
                serial,
                Date.from(now.minus(Duration.ofHours(1))),
                Date.from(now.plus(YEARS)),
                name,
                keys.getPublic());
        try {
            // so that clients can use it as their own authority file
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
            builder.addExtension(
                    Extension.keyUsage,
                    true,
                    new KeyUsage(KeyUsage.digitalSignature | KeyUsage.keyEncipherment | KeyUsage.keyCertSign));
            builder.addExtension(
                    Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
            builder.addExtension(Extension.subjectAlternativeName, false, names(hosts));
            X509Certificate certificate = new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(new JcaContentSignerBuilder("SHA256withRSA").build(keys.getPrivate())));
            return new Identity(keys.getPrivate(), List.of(certificate));
        } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
            throw new TlsException("no certificate could be made", e);
        }
    }

    private static GeneralNames names(Set<String> hosts) {
        GeneralName[] names = new GeneralName[hosts.size() + 2];
        int at = 0;
        for (String host : hosts) {
            names[at++] = new GeneralName(GeneralName.dNSName, host);
        }
        names[at++] = new GeneralName(GeneralName.iPAddress, "127.0.0.1");
        names[at] = new GeneralName(GeneralName.iPAddress, "::1");
        return new GeneralNames(names);
    }

    private static String hostName() {
        try {
            String name = InetAddress.getLocalHost().getHostName();
            return PLAIN_NAME.matcher(name).matches() ? name : "localhost";
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    /** Writes a file atomically. */
    private static void keep(Path file, Object content, boolean secret) throws IOException {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(content);
        }
        Path directory = Objects.requireNonNull(file.toAbsolutePath().getParent());
        Files.createDirectories(directory);
        boolean posix = directory.getFileSystem().supportedFileAttributeViews().contains("posix");
        Path temporary = posix
                ? Files.createTempFile(
                        directory,
                        file.getFileName().toString(),
                        ".tmp",
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString(secret ? "rw-------" : "rw-r--r--")))
                : Files.createTempFile(directory, file.getFileName().toString(), ".tmp");
        try {
            Files.writeString(temporary, text.toString(), StandardCharsets.US_ASCII);
            Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }
}
