package io.fanfold.backend;

import io.fanfold.protocol.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import javax.crypto.Cipher;
import org.jspecify.annotations.Nullable;

/**
 * The authentication plugins that the worker account may have. The password never travels in clear.
 *
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_authentication_methods.html">methods</a>
 */
enum AuthPlugin {
    MYSQL_NATIVE_PASSWORD,
    CACHING_SHA2_PASSWORD,
    CLIENT_ED25519;

    private static final int CHALLENGE = 20;
    private static final int ED25519_CHALLENGE = 32;

    /** The plugin's name on the wire. */
    String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The plugin of that name; null when it is not one of these. */
    static @Nullable AuthPlugin named(String name) {
        for (AuthPlugin plugin : values()) {
            if (plugin.wireName().equals(name)) {
                return plugin;
            }
        }
        return null;
    }

    /**
     * The first answer to a challenge.
     *
     * @param challenge as it came; a zero byte behind it does not count
     */
    byte[] answer(String password, byte[] challenge) throws ProtocolException {
        byte[] secret = password.getBytes(StandardCharsets.UTF_8);
        return switch (this) {
            case MYSQL_NATIVE_PASSWORD ->
                secret.length == 0 ? secret : nativeScramble(secret, fitted(challenge, CHALLENGE));
            case CACHING_SHA2_PASSWORD ->
                secret.length == 0 ? secret : sha2Scramble(secret, fitted(challenge, CHALLENGE));
            case CLIENT_ED25519 -> Ed25519Signature.sign(secret, fitted(challenge, ED25519_CHALLENGE));
        };
    }

    private byte[] fitted(byte[] challenge, int length) throws ProtocolException {
        boolean zeroEnded = challenge.length == length + 1 && challenge[length] == 0;
        if (challenge.length != length && !zeroEnded) {
            throw new ProtocolException(
                    wireName() + " challenge has " + challenge.length + " bytes (expected: " + length + ")");
        }
        return Arrays.copyOf(challenge, length);
    }

    /** SHA1(password) XOR SHA1(challenge + SHA1(SHA1(password))). */
    private static byte[] nativeScramble(byte[] secret, byte[] challenge) {
        byte[] once = digest("SHA-1", secret);
        return xor(once, digest("SHA-1", challenge, digest("SHA-1", once)));
    }

    /** SHA256(password) XOR SHA256(SHA256(SHA256(password)) + challenge). */
    private static byte[] sha2Scramble(byte[] secret, byte[] challenge) {
        byte[] once = digest("SHA-256", secret);
        return xor(once, digest("SHA-256", digest("SHA-256", once), challenge));
    }

    /**
     * The password for caching_sha2_password's full authentication over a plain connection: zero-ended, XORed with the
     * challenge, encrypted under the server's RSA key.
     *
     * @param pem the server's public key
     */
    static byte[] encrypted(String password, byte[] challenge, byte[] pem) throws ProtocolException {
        byte[] secret = password.getBytes(StandardCharsets.UTF_8);
        byte[] masked = Arrays.copyOf(secret, secret.length + 1);
        byte[] nonce = CACHING_SHA2_PASSWORD.fitted(challenge, CHALLENGE);
        for (int i = 0; i < masked.length; i++) {
            masked[i] ^= nonce[i % CHALLENGE];
        }
        try {
            Cipher cipher = Cipher.getInstance("RSA/ECB/OAEPWithSHA-1AndMGF1Padding");
            cipher.init(Cipher.ENCRYPT_MODE, publicKey(pem));
            return cipher.doFinal(masked);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            ProtocolException unusable =
                    new ProtocolException("the server's RSA key cannot be used: " + e.getMessage());
            unusable.initCause(e);
            throw unusable;
        }
    }

    private static PublicKey publicKey(byte[] pem) throws GeneralSecurityException {
        String text = new String(pem, StandardCharsets.US_ASCII);
        String body = text.replaceAll("-----(BEGIN|END) PUBLIC KEY-----", "").replaceAll("\\s", "");
        return KeyFactory.getInstance("RSA")
                .generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(body)));
    }

    private static byte[] digest(String algorithm, byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance(algorithm);
            for (byte[] part : parts) {
                digest.update(part);
            }
            return digest.digest();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime lacks " + algorithm, e);
        }
    }

    private static byte[] xor(byte[] one, byte[] other) {
        byte[] result = new byte[one.length];
        for (int i = 0; i < one.length; i++) {
            result[i] = (byte) (one[i] ^ other[i]);
        }
        return result;
    }
}
