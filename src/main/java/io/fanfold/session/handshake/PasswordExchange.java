package io.fanfold.session.handshake;

import io.fanfold.tls.RsaKeys;
import io.fanfold.wire.PayloadReader;
import io.fanfold.wire.ServerPacket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.concurrent.Callable;

/**
 * Decides what to do with each packet of an authentication. Nearly all are relayed unchanged, whatever the plugin. But
 * caching_sha2_password and sha256_password transmit the password itself: in clear on an encrypted connection,
 * otherwise encrypted under an RSA key. If only one of the two connections is encrypted, the proxy takes the password
 * in one form and sends it in the other. Not thread-safe; never blocks.
 *
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_caching_sha2_authentication_exchanges.html">exchanges</a>
 */
public final class PasswordExchange {
    private static final String CACHING = "caching_sha2_password";
    private static final String SHA256 = "sha256_password";

    private static final int MORE = 0x01;
    private static final int NEXT_FACTOR = 0x02;
    private static final byte[] FAST_DONE = {MORE, 3};
    private static final byte[] FULL = {MORE, 4};
    private static final byte[] CACHING_KEY_REQUEST = {2};
    private static final byte[] SHA256_KEY_REQUEST = {1};
    private static final byte[] NO_PASSWORD = {0};

    /** What to do next. */
    sealed interface ExchangeStep {
        /** @param turn whether the client may answer */
        record ToClient(byte[] payload, boolean turn) implements ExchangeStep {}

        record ToServer(byte[] payload) implements ExchangeStep {}

        /** @param work takes some milliseconds and returns the step after it */
        record Later(Callable<ExchangeStep> work) implements ExchangeStep {}

        /** Refuse the client. */
        record Refuse(String why) implements ExchangeStep {}
    }

    /** How far the transmission of the password is. */
    private enum PasswordForm {
        /** The password was not asked for. */
        NOT_ASKED,
        /** The client's next packet is the password, or asks for a key. */
        ASKED,
        /** The client has received the proxy's key: its next packet is the password. */
        OWN_KEY_SENT,
        /** The client has asked for the server's key: its next packet is the password. */
        SERVER_KEY_SENT,
        /** The password is kept here until the server has sent its key. */
        HELD
    }

    private final boolean clientSecure;
    private final boolean serverSecure;
    private final boolean multiFactor;
    private final PasswordKeys keys;
    private String plugin = "";
    private byte[] challenge = {};
    private byte[] held = {};
    private PasswordForm secret = PasswordForm.NOT_ASKED;

    /**
     * @param clientSecure whether the client may send a password in clear on its connection
     * @param serverSecure whether the proxy may do so on the server's connection
     * @param multiFactor whether the server may ask for several plugins, one after the other
     */
    public PasswordExchange(boolean clientSecure, boolean serverSecure, boolean multiFactor, PasswordKeys keys) {
        this.clientSecure = clientSecure;
        this.serverSecure = serverSecure;
        this.multiFactor = multiFactor;
        this.keys = keys;
    }

    /**
     * Begins with the client's first answer.
     *
     * @param first the plugin that created it
     * @param greeted the challenge in the server's greeting
     * @return if it is a {@link ExchangeStep.ToServer}, its payload replaces the answer
     */
    public ExchangeStep begin(String first, byte[] greeted, byte[] answer) {
        use(first, greeted);
        return fromClient(answer);
    }

    private void use(String next, byte[] nextChallenge) {
        plugin = next;
        challenge = nextChallenge;
        held = new byte[0];
        secret = next.equals(SHA256) ? PasswordForm.ASKED : PasswordForm.NOT_ASKED;
    }

    /** @param payload a packet of the server that is neither OK nor an error */
    public ExchangeStep fromServer(byte[] payload) {
        int kind = payload.length == 0 ? -1 : payload[0] & 0xff;
        if (kind == ServerPacket.EOF && payload.length > 1 || kind == NEXT_FACTOR && multiFactor) {
            PayloadReader in = new PayloadReader(payload, 1, payload.length - 1);
            use(new String(in.nulTerminated(), StandardCharsets.UTF_8), in.rest());
        } else if (kind == MORE && secret == PasswordForm.HELD) {
            return encryptHeld(Arrays.copyOfRange(payload, 1, payload.length));
        } else if (plugin.equals(CACHING) && Arrays.equals(payload, FULL)) {
            secret = PasswordForm.ASKED;
        } else if (plugin.equals(CACHING) && Arrays.equals(payload, FAST_DONE)) {
            return new ExchangeStep.ToClient(payload, false);
        }
        return new ExchangeStep.ToClient(payload, true);
    }

    public ExchangeStep fromClient(byte[] payload) {
        if (secret == PasswordForm.NOT_ASKED || plugin.equals(SHA256) && Arrays.equals(payload, NO_PASSWORD)) {
            return new ExchangeStep.ToServer(payload);
        }
        boolean keyWanted = Arrays.equals(payload, keyRequest());
        return serverSecure ? inClear(payload, keyWanted) : underServersKey(payload, keyWanted);
    }

    private ExchangeStep inClear(byte[] payload, boolean keyWanted) {
        if (keyWanted && secret == PasswordForm.ASKED) {
            secret = PasswordForm.OWN_KEY_SENT;
            return new ExchangeStep.Later(() -> {
                byte[] pem = keys.get().pem();
                byte[] packet = new byte[pem.length + 1];
                packet[0] = MORE;
                System.arraycopy(pem, 0, packet, 1, pem.length);
                return new ExchangeStep.ToClient(packet, true);
            });
        }
        boolean clear = clientSecure && secret == PasswordForm.ASKED;
        secret = PasswordForm.NOT_ASKED;
        if (clear) {
            return new ExchangeStep.ToServer(payload);
        }
        byte[] salt = challenge;
        return new ExchangeStep.Later(() -> {
            try {
                return new ExchangeStep.ToServer(keys.get().decrypted(payload, salt));
            } catch (GeneralSecurityException e) {
                return new ExchangeStep.Refuse(
                        "the password is not encrypted with the proxy's RSA key (expected: this key, or TLS)");
            }
        });
    }

    private ExchangeStep underServersKey(byte[] payload, boolean keyWanted) {
        if (keyWanted && secret == PasswordForm.ASKED) {
            secret = PasswordForm.SERVER_KEY_SENT;
            return new ExchangeStep.ToServer(payload);
        }
        if (clientSecure && secret == PasswordForm.ASKED) {
            held = payload;
            secret = PasswordForm.HELD;
            return new ExchangeStep.ToServer(keyRequest());
        }
        secret = PasswordForm.NOT_ASKED;
        return new ExchangeStep.ToServer(payload);
    }

    private ExchangeStep encryptHeld(byte[] pem) {
        byte[] password = held;
        byte[] salt = challenge;
        held = new byte[0];
        secret = PasswordForm.NOT_ASKED;
        return new ExchangeStep.Later(() -> {
            try {
                return new ExchangeStep.ToServer(RsaKeys.encrypted(password, salt, pem));
            } catch (GeneralSecurityException e) {
                return new ExchangeStep.Refuse("the server's RSA key cannot be used: " + e.getMessage());
            }
        });
    }

    private byte[] keyRequest() {
        return plugin.equals(SHA256) ? SHA256_KEY_REQUEST : CACHING_KEY_REQUEST;
    }
}
