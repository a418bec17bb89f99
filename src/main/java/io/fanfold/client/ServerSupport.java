package io.fanfold.client;

import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Which servers statements are split on. Rules and proofs were measured on MySQL and MariaDB. Other servers speak the
 * same protocol; there, and on older versions, every statement passes through. A newer version is split as the newest
 * tested one. Stateless.
 */
public final class ServerSupport {
    /** The release series that the tests run on, in ascending order. */
    private static final List<Series> TESTED_MYSQL = List.of(new Series(8, 0), new Series(9, 7));

    private static final List<Series> TESTED_MARIADB =
            List.of(new Series(10, 11), new Series(11, 4), new Series(11, 8));

    /** The oldest versions that statements are split on. Both have JSON_TABLE, which final queries need. */
    private static final Oldest OLDEST_MYSQL = new Oldest(new Series(8, 0), 31);

    private static final Oldest OLDEST_MARIADB = new Oldest(new Series(10, 6), 0);

    /** The version text of Oracle's own builds. Other builds, such as Debian's and Percona's, append their own number. */
    private static final Pattern ORACLE = Pattern.compile("[0-9.]+(-log|-debug|-commercial)*");

    /**
     * Other servers, and services whose answers or snapshots are not MySQL's. The versions' texts can be changed by
     * their operators, hence the variables.
     */
    private static final List<Product> OTHERS = List.of(
            new Product("TiDB", "tidb", "tidb_", "another server with MySQL's protocol, not built from MySQL"),
            new Product("Dolt", "dolt", "dolt_", "another server with MySQL's protocol, not built from MySQL"),
            new Product(
                    "Vitess",
                    "vitess",
                    "vitess_",
                    "a proxy that distributes a statement over several servers, which have no common snapshot"),
            new Product(
                    "Amazon Aurora",
                    "aurora",
                    "aurora_version",
                    "its instances share their storage, and Fanfold knows no proof of equal snapshots there"),
            new Product(
                    "MySQL HeatWave",
                    "heatwave",
                    "rapid_",
                    "the server may run a statement on its HeatWave cluster, but never the queries of a split"));

    private ServerSupport() {}

    /** A release series, for example 10.11. */
    private record Series(int major, int minor) {
        static Series of(ServerIdentity server) {
            return new Series(server.major(), server.minor());
        }

        boolean before(Series other) {
            return major < other.major || major == other.major && minor < other.minor;
        }

        @Override
        public String toString() {
            return major + "." + minor;
        }
    }

    /** A version, for example 8.0.31. */
    private record Oldest(Series series, int patch) {
        boolean after(ServerIdentity server) {
            Series own = Series.of(server);
            return own.before(series) || own.equals(series) && server.patch() < patch;
        }

        @Override
        public String toString() {
            return series + "." + patch;
        }
    }

    /**
     * A product that statements are not split on.
     *
     * @param word in its version, in lower case
     * @param variable the beginning of the name of a system variable that only it has
     * @param why a clause for the log
     */
    private record Product(String name, String word, String variable, String why) {
        boolean is(ServerIdentity server, Set<String> variables) {
            return server.versionText().toLowerCase(Locale.ROOT).contains(word)
                    || variables.stream().anyMatch(name -> name.startsWith(variable));
        }
    }

    /**
     * Returns why no statement is split on a server, as a clause that names it; "" if statements are split.
     *
     * @param variables the names of its system variables, in lower case
     */
    static String obstacle(ServerIdentity server, Set<String> variables) {
        for (Product product : OTHERS) {
            if (product.is(server, variables)) {
                return "the server is " + product.name + " (" + server.shown() + "): " + product.why;
            }
        }
        Oldest oldest = server.flavor().isMariaDb() ? OLDEST_MARIADB : OLDEST_MYSQL;
        return oldest.after(server)
                ? "the server is " + server.title() + "; Fanfold splits statements from " + oldest + " on"
                : "";
    }

    /** Returns what the tests say about a version that statements are split on, for the log. */
    public static String tested(ServerIdentity server) {
        ServerFlavor flavor = server.flavor();
        List<Series> tested = flavor.isMariaDb() ? TESTED_MARIADB : TESTED_MYSQL;
        Series own = Series.of(server);
        Series newest = tested.get(tested.size() - 1);
        String all =
                flavor.title() + " " + tested.stream().map(Series::toString).collect(Collectors.joining(", "));
        if (newest.before(own)) {
            return "newer than the versions that the tests run on, " + all + "; statements are split as on " + newest;
        }
        if (!tested.contains(own)) {
            return "not a tested version; the tests run on " + all;
        }
        return flavor.isMySql() && !ORACLE.matcher(server.versionText()).matches()
                ? "a tested version, but the tests may run on another build of it"
                : "a tested version";
    }
}
