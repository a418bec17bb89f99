package io.fanfold.config;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The groups of keys about TLS. */
final class TlsSections {
    private TlsSections() {}

    /** @param directory what relative paths are relative to; null for the working directory */
    static ListenerTlsConfig listener(Section section, @Nullable Path directory) {
        ListenerTlsConfig base = ListenerTlsConfig.defaults();
        ListenerTlsConfig.Mode mode = section.choice("mode", base.mode(), ListenerTlsConfig.Mode.class);
        boolean used = mode == ListenerTlsConfig.Mode.PREFERRED || mode == ListenerTlsConfig.Mode.REQUIRED;
        Path certificate = file(section, "certificate", directory, used);
        Path key = file(section, "key", directory, used);
        requireBoth(section, certificate, key);
        Path clientCa = file(section, "client-ca", directory, used);
        boolean required = section.flag("require-client-certificate", base.requireClientCertificate());
        if (required && clientCa == null) {
            throw section.error("require-client-certificate", "'true' without client-ca", "client-ca beside it");
        }
        return new ListenerTlsConfig(mode, certificate, key, clientCa, required, path(section, "directory", directory));
    }

    /**
     * @param directory what relative paths are relative to; null for the working directory
     * @param listener the settings of the other side
     */
    static BackendTlsConfig backend(Section section, @Nullable Path directory, ListenerConfig listener) {
        BackendTlsConfig base = BackendTlsConfig.defaults();
        BackendTlsConfig.Mode mode = section.choice("mode", base.mode(), BackendTlsConfig.Mode.class);
        boolean used = mode != BackendTlsConfig.Mode.DISABLED;
        BackendTlsConfig.ClearClients clearClients =
                section.choice("clear-clients", base.clearClients(), BackendTlsConfig.ClearClients.class);
        if (nobodyIsServed(mode, clearClients, listener)) {
            throw section.error(
                    "mode",
                    "'" + mode.name().toLowerCase(Locale.ROOT)
                            + "' beside listener.tls.mode: disabled refuses every client over TCP",
                    "as_client, clear-clients: allow beside it, or another listener.tls.mode");
        }
        BackendTlsConfig.Verify verify = section.choice("verify", base.verify(), BackendTlsConfig.Verify.class);
        Path ca = file(section, "ca", directory, used);
        if (ca != null && verify == BackendTlsConfig.Verify.DISABLED) {
            throw section.error("ca", "stands beside verify: disabled", "verify: verify_ca or verify_identity");
        }
        Path certificate = file(section, "certificate", directory, used);
        Path key = file(section, "key", directory, used);
        requireBoth(section, certificate, key);
        return new BackendTlsConfig(
                mode,
                clearClients,
                verify,
                ca,
                certificate,
                key,
                section.choice("show-certificate", base.showCertificate(), BackendTlsConfig.ShowCertificate.class));
    }

    private static boolean nobodyIsServed(
            BackendTlsConfig.Mode mode, BackendTlsConfig.ClearClients clearClients, ListenerConfig listener) {
        boolean encrypted = mode == BackendTlsConfig.Mode.PREFERRED || mode == BackendTlsConfig.Mode.REQUIRED;
        return encrypted
                && clearClients == BackendTlsConfig.ClearClients.REFUSE
                && listener.tls().mode() == ListenerTlsConfig.Mode.DISABLED
                && listener.socket() == null;
    }

    private static void requireBoth(Section section, @Nullable Path certificate, @Nullable Path key) {
        if (certificate == null && key != null) {
            throw section.error("key", "stands without certificate", "both or none of the two");
        }
        if (certificate != null && key == null) {
            throw section.error("certificate", "stands without key", "both or none of the two");
        }
    }

    private static @Nullable Path file(Section section, String name, @Nullable Path directory, boolean used) {
        Path file = path(section, name, directory);
        if (file != null && used && !Files.isReadable(file)) {
            throw section.error(name, "'" + file + "' cannot be read", "a readable PEM file");
        }
        return file;
    }

    private static @Nullable Path path(Section section, String name, @Nullable Path directory) {
        String text = section.optionalText(name);
        if (text == null) {
            return null;
        }
        try {
            return directory == null ? Path.of(text) : directory.resolve(text);
        } catch (InvalidPathException e) {
            throw section.error(name, "'" + text + "'", "a path");
        }
    }
}
