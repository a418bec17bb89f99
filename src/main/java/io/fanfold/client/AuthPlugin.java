package io.fanfold.client;

import io.fanfold.wire.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The authentication plugins that the worker account may use. The password is never sent in clear text over an
 * unencrypted connection.
 *
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_authentication_methods.html">methods</a>
 */
enum AuthPlugin {
    MYSQL_NATIVE_PASSWORD,
    CACHING_SHA2_PASSWORD,
    /** Its responses depend on the connection, see {@link Login}. */
    SHA256_PASSWORD,
    CLIENT_ED25519;

    private static final int CHALLENGE = 20;
    private static final int ED25519_CHALLENGE = 32;

    /** Returns the plugin's name in the protocol. */
    String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the plugin of that name; null if it is not supported. */
    static @Nullable AuthPlugin named(String name) {
        for (AuthPlugin plugin : values()) {
            if (plugin.wireName().equals(name)) {
                return plugin;
            }
        }
        return null;
    }

    /**
     * Returns the first response to a challenge.
     *
     * @param challenge as received; a trailing zero byte is ignored
     */
    byte[] answer(String password, byte[] challenge) throws ProtocolException {
        byte[] secret = password.getBytes(StandardCharsets.UTF_8);
        return switch (this) {
            case MYSQL_NATIVE_PASSWORD ->
                secret.length == 0 ? secret : nativeScramble(secret, fitted(challenge, CHALLENGE));
            case CACHING_SHA2_PASSWORD ->
                secret.length == 0 ? secret : sha2Scramble(secret, fitted(challenge, CHALLENGE));
            case SHA256_PASSWORD -> throw new IllegalStateException("the login answers it");
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
