package io.fanfold.tls;

import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMEncryptedKeyPair;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.pkcs.PKCS8EncryptedPrivateKeyInfo;

/** Reads certificates and keys in PEM, the format of OpenSSL, MySQL and MariaDB. */
final class PemFiles {
    private PemFiles() {}

    /** Reads a certificate with its chain and its key, and checks that they belong together. */
    static Identity identity(Path certificate, Path key) throws TlsException {
        List<X509Certificate> chain = certificates(certificate);
        PrivateKey secret = privateKey(key);
        requirePair(chain.get(0).getPublicKey(), secret, certificate, key);
        return new Identity(secret, chain);
    }

    /** Reads all certificates of a file, at least one. */
    static List<X509Certificate> certificates(Path file) throws TlsException {
        try (InputStream in = Files.newInputStream(file)) {
            List<X509Certificate> certificates =
                    CertificateFactory.getInstance("X.509").generateCertificates(in).stream()
                            .map(X509Certificate.class::cast)
                            .toList();
            if (certificates.isEmpty()) {
                throw new TlsException(file + " holds no certificate (expected: PEM)");
            }
            return certificates;
        } catch (IOException e) {
            throw unreadable(file, e);
        } catch (CertificateException e) {
            throw new TlsException(file + " holds no certificates that can be read (expected: PEM)", e);
        }
    }

    /** Reads the private key of a file: PKCS #8 or the older formats, not encrypted. */
    static PrivateKey privateKey(Path file) throws TlsException {
        try (Reader in = Files.newBufferedReader(file, StandardCharsets.US_ASCII);
                PEMParser parser = new PEMParser(in)) {
            for (Object found = parser.readObject(); found != null; found = parser.readObject()) {
                if (found instanceof PrivateKeyInfo info) {
                    return new JcaPEMKeyConverter().getPrivateKey(info);
                }
                if (found instanceof PEMKeyPair pair) {
                    return new JcaPEMKeyConverter().getPrivateKey(pair.getPrivateKeyInfo());
                }
                if (found instanceof PEMEncryptedKeyPair || found instanceof PKCS8EncryptedPrivateKeyInfo) {
                    throw new TlsException(file + " is encrypted (expected: a private key without a password)");
                }
            }
            throw new TlsException(file + " holds no private key (expected: PEM)");
        } catch (TlsException e) {
            throw e;
        } catch (IOException e) {
            throw unreadable(file, e);
        } catch (RuntimeException e) {
            // the library throws these for text that is not Base64, and maybe for other errors
            throw new TlsException(file + " holds no private key that can be read (expected: PEM)", e);
        }
    }

    private static TlsException unreadable(Path file, IOException e) {
        return e instanceof TlsException known ? known : new TlsException(file + " cannot be read", e);
    }

    private static void requirePair(PublicKey open, PrivateKey secret, Path certificate, Path key) throws TlsException {
        String algorithm = switch (secret.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC", "ECDSA" -> "SHA256withECDSA";
            default -> secret.getAlgorithm();
        };
        byte[] sample = "fanfold".getBytes(StandardCharsets.US_ASCII);
        try {
            Signature signing = Signature.getInstance(algorithm);
            signing.initSign(secret);
            signing.update(sample);
            byte[] signature = signing.sign();
            Signature verifying = Signature.getInstance(algorithm);
            verifying.initVerify(open);
            verifying.update(sample);
            if (verifying.verify(signature)) {
                return;
            }
        } catch (GeneralSecurityException e) {
            throw new TlsException("the key in " + key + " does not fit the certificate in " + certificate, e);
        }
        throw new TlsException("the key in " + key + " does not fit the certificate in " + certificate);
    }
}
