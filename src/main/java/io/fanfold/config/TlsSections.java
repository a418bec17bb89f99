package io.fanfold.config;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads the groups of TLS settings. */
final class TlsSections {
    private TlsSections() {}

    /** @param directory the base of relative paths; null for the working directory */
    static ListenerTlsConfig listener(Section section, @Nullable Path directory) {
        ListenerTlsConfig base = ListenerTlsConfig.defaults();
        ListenerTlsConfig.ListenerTlsMode mode =
                section.choice("mode", base.mode(), ListenerTlsConfig.ListenerTlsMode.class);
        boolean used = mode.encrypts();
        Path certificate = file(section, "certificate", directory, used);
        Path key = file(section, "key", directory, used);
        requireBoth(section);
        Path clientCa = file(section, "client-ca", directory, used);
        boolean required = section.flag("require-client-certificate", base.requireClientCertificate());
        if (required && section.lacks("client-ca")) {
            section.mistake("require-client-certificate", "'true' without client-ca", "client-ca as well");
        }
        return new ListenerTlsConfig(mode, certificate, key, clientCa, required, path(section, "directory", directory));
    }

    /**
     * Reads the settings of the HTTP port, which is encrypted if it has a certificate.
     *
     * @param directory the base of relative paths; null for the working directory
     */
    static ListenerTlsConfig http(Section section, @Nullable Path directory) {
        Path certificate = file(section, "certificate", directory, true);
        Path key = file(section, "key", directory, true);
        requireBoth(section);
        Path clientCa = file(section, "client-ca", directory, true);
        if (section.has("client-ca") && section.lacks("certificate")) {
            section.mistake("client-ca", "is set and certificate is not", "certificate and key as well");
        }
        ListenerTlsConfig.ListenerTlsMode mode = certificate == null
                ? ListenerTlsConfig.ListenerTlsMode.DISABLED
                : ListenerTlsConfig.ListenerTlsMode.REQUIRED;
        return new ListenerTlsConfig(mode, certificate, key, clientCa, false, null);
    }

    /**
     * @param directory the base of relative paths; null for the working directory
     * @param listener the settings for clients
     */
    static BackendTlsConfig backend(Section section, @Nullable Path directory, ListenerConfig listener) {
        BackendTlsConfig base = BackendTlsConfig.defaults();
        BackendTlsConfig.BackendTlsMode mode =
                section.choice("mode", base.mode(), BackendTlsConfig.BackendTlsMode.class);
        boolean used = mode != BackendTlsConfig.BackendTlsMode.DISABLED;
        BackendTlsConfig.ClearClients clearClients =
                section.choice("clear-clients", base.clearClients(), BackendTlsConfig.ClearClients.class);
        if (nobodyIsServed(mode, clearClients, listener)) {
            section.mistake(
                    "mode",
                    "'" + mode.name().toLowerCase(Locale.ROOT)
                            + "' with listener.tls.mode: disabled refuses every client over TCP",
                    "as_client, or clear-clients: allow as well, or another listener.tls.mode");
        }
        BackendTlsConfig.Verify verify = section.choice("verify", base.verify(), BackendTlsConfig.Verify.class);
        Path ca = file(section, "ca", directory, used);
        if (ca != null && verify == BackendTlsConfig.Verify.DISABLED && section.sound("verify")) {
            section.mistake("ca", "has no effect with verify: disabled", "verify: verify_ca or verify_identity");
        }
        Path certificate = file(section, "certificate", directory, used);
        Path key = file(section, "key", directory, used);
        requireBoth(section);
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
            BackendTlsConfig.BackendTlsMode mode, BackendTlsConfig.ClearClients clearClients, ListenerConfig listener) {
        boolean encrypted =
                mode == BackendTlsConfig.BackendTlsMode.PREFERRED || mode == BackendTlsConfig.BackendTlsMode.REQUIRED;
        return encrypted
                && clearClients == BackendTlsConfig.ClearClients.REFUSE
                && listener.tls().mode() == ListenerTlsConfig.ListenerTlsMode.DISABLED
                && listener.socket() == null;
    }

    private static void requireBoth(Section section) {
        if (section.lacks("certificate") && section.has("key")) {
            section.mistake("key", "is set and certificate is not", "both or neither");
        }
        if (section.has("certificate") && section.lacks("key")) {
            section.mistake("certificate", "is set and key is not", "both or neither");
        }
    }

    private static @Nullable Path file(Section section, String name, @Nullable Path directory, boolean used) {
        Path file = path(section, name, directory);
        if (file != null && used && !Files.isReadable(file)) {
            section.mistake(name, "'" + file + "' cannot be read", "a readable PEM file");
        }
        return file;
    }

    static @Nullable Path path(Section section, String name, @Nullable Path directory) {
        String text = section.optionalText(name);
        if (text == null) {
            return null;
        }
        try {
            return directory == null ? Path.of(text) : directory.resolve(text);
        } catch (InvalidPathException e) {
            section.mistake(name, "'" + text + "'", "a path");
            return null;
        }
    }
}
