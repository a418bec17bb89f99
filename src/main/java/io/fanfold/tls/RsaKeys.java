package io.fanfold.tls;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts passwords on unencrypted connections, for caching_sha2_password and sha256_password. The password with a
 * zero byte is XORed with the challenge and encrypted with an RSA key. Immutable; creating keys may take a second.
 *
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_caching_sha2_authentication_exchanges.html">exchanges</a>
 */
public final class RsaKeys {
    private static final String PADDING = "RSA/ECB/OAEPWithSHA-1AndMGF1Padding";
    private static final int CHALLENGE = 20;
    private static final Pattern NOT_THE_KEY = Pattern.compile("-----(?:BEGIN|END) PUBLIC KEY-----|[\\s\0]");

    private final KeyPair keys;

    private RsaKeys(KeyPair keys) {
        this.keys = keys;
    }

    /** Returns the keys kept in a directory, created if there are none; null keeps them in memory only. */
    public static RsaKeys of(@Nullable Path directory) throws TlsException {
        return new RsaKeys(SelfSignedCertificate.passwordKeys(directory));
    }

    static KeyPair pair(PrivateKey key, String source) throws TlsException {
        if (!(key instanceof RSAPrivateCrtKey rsa)) {
            throw new TlsException(source + " holds another key than one of RSA");
        }
        try {
            PublicKey open = KeyFactory.getInstance("RSA")
                    .generatePublic(new RSAPublicKeySpec(rsa.getModulus(), rsa.getPublicExponent()));
            return new KeyPair(open, rsa);
        } catch (GeneralSecurityException e) {
            throw new TlsException(source + " cannot be used", e);
        }
    }

    /** Returns the public key in the format that servers send. */
    public byte[] pem() {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'})
                .encodeToString(keys.getPublic().getEncoded());
        return ("-----BEGIN PUBLIC KEY-----\n" + body + "\n-----END PUBLIC KEY-----\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Decrypts a password that a client encrypted with the public key. The result ends with a zero byte, as servers
     * expect it over TLS.
     *
     * @param challenge its first 20 bytes are used
     * @throws GeneralSecurityException if it was encrypted with another key, or does not end with a zero byte
     */
    public byte[] decrypted(byte[] secret, byte[] challenge) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(PADDING);
        cipher.init(Cipher.DECRYPT_MODE, keys.getPrivate());
        byte[] masked = masked(cipher.doFinal(secret), challenge);
        if (masked.length == 0 || masked[masked.length - 1] != 0) {
            throw new GeneralSecurityException("the password does not end with a zero byte");
        }
        return masked;
    }

    /**
     * Encrypts a password with a server's key.
     *
     * @param password ends with a zero byte
     * @param challenge its first 20 bytes are used
     * @param pem the server's public key
     * @throws GeneralSecurityException if the key or the challenge is invalid
     */
    public static byte[] encrypted(byte[] password, byte[] challenge, byte[] pem) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(PADDING);
        cipher.init(Cipher.ENCRYPT_MODE, publicKey(pem));
        return cipher.doFinal(masked(password, challenge));
    }

    private static byte[] masked(byte[] text, byte[] challenge) throws GeneralSecurityException {
        if (challenge.length < CHALLENGE) {
            throw new GeneralSecurityException(
                    "the challenge has " + challenge.length + " bytes (expected: " + CHALLENGE + ")");
        }
        byte[] masked = Arrays.copyOf(text, text.length);
        for (int i = 0; i < masked.length; i++) {
            masked[i] ^= challenge[i % CHALLENGE];
        }
        return masked;
    }

    private static PublicKey publicKey(byte[] pem) throws GeneralSecurityException {
        String text = new String(pem, StandardCharsets.US_ASCII);
        String body = NOT_THE_KEY.matcher(text).replaceAll("");
        try {
            return KeyFactory.getInstance("RSA")
                    .generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(body)));
        } catch (IllegalArgumentException e) {
            throw new GeneralSecurityException("it is not Base64", e);
        }
    }
}
