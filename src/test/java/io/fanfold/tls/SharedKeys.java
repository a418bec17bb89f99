package io.fanfold.tls;

import io.fanfold.config.ListenerConfig;
import io.fanfold.config.ListenerTlsConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The certificate and keys that the proxies of a JVM share in tests, since creating RSA keys takes up to a second. */
public final class SharedKeys {
    private static final Path DIRECTORY = create();

    private SharedKeys() {}

    /** Returns the listener with the shared keys if the proxy would create its own and not keep them. */
    public static ListenerConfig of(ListenerConfig listener) {
        ListenerTlsConfig tls = listener.tls();
        return tls.mode().encrypts() && tls.certificate() == null && tls.directory() == null
                ? listener.withTls(tls.withDirectory(DIRECTORY))
                : listener;
    }

    /**
     * Returns the folder with the certificate (server-cert.pem), its key (server-key.pem) and the keys for passwords.
     */
    public static Path directory() {
        return DIRECTORY;
    }

    private static Path create() {
        try {
            Path directory = Files.createTempDirectory("shared-keys");
            SelfSignedCertificate.identity(directory);
            SelfSignedCertificate.passwordKeys(directory);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory), "shared-keys-remove"));
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path directory) {
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
