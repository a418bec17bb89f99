package io.fanfold.client;

import io.fanfold.wire.ServerFlavor;
import io.fanfold.wire.ServerPacket;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The product and version in a server's greeting. Immutable.
 *
 * @param versionText as in the greeting, e.g. {@code 9.7.4} or {@code 5.5.5-10.11.19-MariaDB-log}
 * @param flavor which server this is
 * @param major first number of the real version, without MariaDB's {@code 5.5.5-} prefix; 0 if unreadable
 * @param minor second number
 * @param patch third number
 */
public record ServerIdentity(String versionText, ServerFlavor flavor, int major, int minor, int patch) {
    private static final Pattern VERSION = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})(?:\\.(\\d{1,4}))?");
    private static final String REPLICATION_PREFIX = "5.5.5-";

    /** Returns the version without the prefix that MariaDB writes for old replicas. */
    public String shown() {
        return flavor.isMariaDb() && versionText.startsWith(REPLICATION_PREFIX)
                ? versionText.substring(REPLICATION_PREFIX.length())
                : versionText;
    }

    /** Returns the product and its version for the log, for example {@code MariaDB 10.11.18} or {@code MySQL 8.0.36-28}. */
    public String title() {
        return flavor.title() + " " + (flavor.isMariaDb() ? major + "." + minor + "." + patch : versionText);
    }

    static ServerIdentity of(ServerPacket.Greeting greeting) {
        String text = greeting.serverVersion();
        ServerFlavor flavor = greeting.flavor();
        String real = flavor.isMariaDb() && text.startsWith(REPLICATION_PREFIX)
                ? text.substring(REPLICATION_PREFIX.length())
                : text;
        Matcher numbers = VERSION.matcher(real);
        if (!numbers.lookingAt()) {
            return new ServerIdentity(text, flavor, 0, 0, 0);
        }
        String patch = numbers.group(3);
        return new ServerIdentity(
                text,
                flavor,
                Integer.parseInt(numbers.group(1)),
                Integer.parseInt(numbers.group(2)),
                patch == null ? 0 : Integer.parseInt(patch));
    }

    /** Whether the version is at least this one. Only meaningful within MySQL or within MariaDB. */
    public boolean atLeast(int wantedMajor, int wantedMinor) {
        return major > wantedMajor || major == wantedMajor && minor >= wantedMinor;
    }
}
