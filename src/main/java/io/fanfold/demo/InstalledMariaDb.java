package io.fanfold.demo;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A MariaDB server that is installed on this machine, with the Spider plugin. Immutable.
 *
 * @param version such as 10.11.18
 */
record InstalledMariaDb(ServerBinaries binaries, String version) {
    /** Where packages put the server besides the folders of PATH, which often lacks sbin. */
    private static final List<String> USUAL =
            List.of("/usr/sbin", "/usr/local/sbin", "/usr/libexec", "/usr/local/mysql/bin");

    private static final String HOW = " (Debian and Ubuntu: apt-get install mariadb-server mariadb-plugin-spider)";

    private static final Pattern VERSION = Pattern.compile("Ver ([0-9.]+)-MariaDB");
    private static final Pattern HOME = Pattern.compile("^basedir +(/\\S*)", Pattern.MULTILINE);
    private static final Pattern PLUGINS = Pattern.compile("^plugin-dir +(/\\S*)", Pattern.MULTILINE);

    /**
     * Finds it in the folders of PATH and in the usual ones.
     *
     * @throws IOException if there is no server or no plugin; the message says what to install
     */
    static InstalledMariaDb find() throws IOException, InterruptedException {
        return find(Stream.concat(
                        Stream.of(String.valueOf(System.getenv("PATH")).split(Pattern.quote(File.pathSeparator), -1)),
                        USUAL.stream())
                .filter(folder -> !folder.isBlank())
                .map(Path::of)
                .toList());
    }

    static InstalledMariaDb find(List<Path> folders) throws IOException, InterruptedException {
        for (Path folder : folders) {
            Path daemon = folder.resolve("mariadbd");
            if (Files.isExecutable(daemon)) {
                return at(daemon);
            }
        }
        throw new IOException("Spider needs an installed MariaDB server, but there is no mariadbd in PATH or in "
                + String.join(", ", USUAL) + HOW);
    }

    private static InstalledMariaDb at(Path daemon) throws IOException, InterruptedException {
        String help = output(daemon.toString(), "--no-defaults", "--verbose", "--help");
        Path plugins = Path.of(folder(PLUGINS, help, daemon));
        if (!Files.isRegularFile(plugins.resolve("ha_spider.so"))) {
            throw new IOException("the Spider plugin is missing: there is no ha_spider.so in " + plugins + HOW);
        }
        Path home = Path.of(folder(HOME, help, daemon));
        return new InstalledMariaDb(
                new ServerBinaries(home, daemon, ServerBinaries.shareIn(home), plugins),
                group(VERSION, help).orElse("unknown"));
    }

    private static String folder(Pattern pattern, String help, Path daemon) throws IOException {
        return group(pattern, help)
                .orElseThrow(() -> new IOException(daemon + " --verbose --help does not show its folders:\n" + help));
    }

    private static Optional<String> group(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        return found.find() ? Optional.of(found.group(1)) : Optional.empty();
    }

    private static String output(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        process.waitFor();
        return text;
    }
}
