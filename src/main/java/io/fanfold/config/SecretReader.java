package io.fanfold.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads a secret from the environment variable or the file that a group of settings names: {@code password-env} and
 * {@code password-file}, for example. The settings file itself holds no secret.
 *
 * @param what the kind of secret, and the beginning of its two keys
 * @param environment reads environment variables; returns null for a variable that is not set
 * @param directory the base of relative paths; null for the working directory
 */
record SecretReader(
        String what,
        Function<String, @Nullable String> environment,
        @Nullable Path directory) {
    private static final int MOST_BYTES = 4096;

    /** Where systemd puts the credentials of a service. It is set for the service only. */
    private static final String CREDENTIALS = "CREDENTIALS_DIRECTORY";

    /** Reports the secret itself as a mistake. */
    void forbid(Section section) {
        section.forbid(
                what,
                "a " + what + " does not belong in this file (expected: " + what
                        + "-env with the name of an environment variable, or " + what
                        + "-file with the path of a file that holds only the " + what + ")");
    }

    /**
     * Reads the secret. A mistake is reported, and the result is then empty.
     *
     * @param usual the variable to read if neither key is set. It may be missing. Null if there is none
     * @param unused whether to check only the keys, so that a file can be checked on any machine
     */
    Secret read(Section section, @Nullable String usual, boolean unused) {
        String variable = section.optionalText(what + "-env");
        String file = section.optionalText(what + "-file");
        if (variable != null && file != null) {
            section.mistake(what + "-file", "is set and " + what + "-env too", "one of the two");
            return Secret.EMPTY;
        }
        if (unused) {
            return Secret.EMPTY;
        }
        if (file != null) {
            return ofFile(section, file);
        }
        if (variable == null || variable.equals(usual)) {
            return ofVariable(usual);
        }
        String value = environment.apply(variable);
        if (value == null) {
            section.mistake(
                    what + "-env", "'" + variable + "' is not set", "the name of a variable in the environment");
            return Secret.EMPTY;
        }
        return new Secret(value);
    }

    private Secret ofVariable(@Nullable String variable) {
        String value = variable == null ? null : environment.apply(variable);
        return value == null ? Secret.EMPTY : new Secret(value);
    }

    private Secret ofFile(Section section, String name) {
        String key = what + "-file";
        String expected = "a readable UTF-8 file of 1.." + MOST_BYTES + " bytes that holds only the " + what;
        try {
            Path file = file(name);
            if (Files.size(file) > MOST_BYTES) {
                section.mistake(key, "'" + name + "' is larger", expected);
                return Secret.EMPTY;
            }
            String text = Files.readString(file, StandardCharsets.UTF_8);
            UnaryOperator<String> cut = ending -> text.substring(0, text.length() - ending.length());
            String secret = text.endsWith("\r\n") ? cut.apply("\r\n") : text.endsWith("\n") ? cut.apply("\n") : text;
            if (secret.isEmpty()) {
                section.mistake(key, "'" + name + "' is empty", expected);
            }
            return new Secret(secret);
        } catch (IOException | InvalidPathException e) {
            section.mistake(key, "'" + name + "' cannot be read", expected);
            return Secret.EMPTY;
        }
    }

    /**
     * Returns the file to read. If the process may not read the named one, it is systemd's credential of the same name. So
     * the file may be root's alone, and root can check the settings without the service.
     */
    private Path file(String name) {
        Path file = directory == null ? Path.of(name) : directory.resolve(name);
        String credentials = environment.apply(CREDENTIALS);
        Path last = file.getFileName();
        return credentials == null || last == null || Files.isReadable(file)
                ? file
                : Path.of(credentials).resolve(last);
    }
}
