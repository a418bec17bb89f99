package io.fanfold.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads the group {@code http}. */
final class HttpSection {
    /** A token of random letters and digits of this length cannot be guessed. */
    private static final int LEAST_TOKEN = 16;

    private HttpSection() {}

    /** @param directory the base of relative paths; null for the working directory */
    static HttpConfig http(Section section, SecretReader tokens, @Nullable Path directory) {
        HttpConfig base = HttpConfig.defaults();
        tokens.forbid(section);
        HttpConfig http = new HttpConfig(
                section.flag("enabled", base.enabled()),
                section.host("host", base.host()),
                section.integer("port", base.port(), 0, 65_535),
                token(section, tokens),
                section.group("tls", tls -> TlsSections.http(tls, directory)));
        boolean known = section.sound("host") && section.sound("token-env") && section.sound("token-file");
        if (known) {
            http.mistake().ifPresent(why -> section.mistake("host", why, HttpConfig.EXPECTED));
        }
        return http;
    }

    /** It is read even if the port is off, because the command line can switch it on. */
    private static Secret token(Section section, SecretReader tokens) {
        Secret token = tokens.read(section, null, false);
        String key = section.has("token-file") ? "token-file" : "token-env";
        boolean given = section.has(key) && section.sound("token-env") && section.sound("token-file");
        if (given && !isToken(token.reveal())) {
            section.mistake(
                    key,
                    "the token is too short or has other characters",
                    LEAST_TOKEN + " or more letters, digits, ._~+/-=");
            return Secret.EMPTY;
        }
        return token;
    }

    /** Whether it has enough of the characters that a bearer token may have. */
    private static boolean isToken(String text) {
        return text.length() >= LEAST_TOKEN
                && text.chars().allMatch(c -> c < 0x7f && (Character.isLetterOrDigit(c) || "._~+/-=".indexOf(c) >= 0));
    }
}
