package io.fanfold.demo;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * The folder of one server, with its data directory, its logs and the file that names its owner.
 *
 * @param folder absolute path
 * @param binaries the server to run in it
 */
record ServerFolder(Path folder, ServerBinaries binaries) {
    private static final int LOG_LINES_SHOWN = 30;

    Path data() {
        return folder.resolve("data");
    }

    /** The server's own log. */
    Path log() {
        return folder.resolve("server.log");
    }

    /** The server's output before its log is open, such as errors in options. */
    Path console() {
        return folder.resolve("console.log");
    }

    /** The statements that create the accounts; the file exists only while the server starts. */
    Path accounts() {
        return folder.resolve("accounts.sql");
    }

    Path temporary() {
        return folder.resolve("tmp");
    }

    OwnerFile owner() {
        return new OwnerFile(folder.resolve("owner"));
    }

    /** Creates what is missing: the folder, and a data directory with system tables but no accounts. */
    void prepare() throws IOException, InterruptedException {
        Files.createDirectories(temporary());
        if (Files.isDirectory(data())) {
            return;
        }
        Path unfinished = folder.resolve("data-unfinished");
        ServerBinaries.deleteTree(unfinished);
        Files.createDirectories(unfinished);
        Path log = folder.resolve("install.log");
        List<String> command = new ArrayList<>(command(unfinished));
        command.addAll(List.of(
                "--bootstrap",
                "--log-warnings=0",
                "--enforce-storage-engine=",
                "--max-allowed-packet=8M",
                "--net-buffer-length=16K",
                "--innodb-log-file-size=16M",
                "--innodb-flush-log-at-trx-commit=2"));
        List<Path> systemTables = binaries.systemTables();
        Process server = ChildProcess.start(command, binaries.home(), log);
        boolean fed = feed(server, systemTables);
        if (server.waitFor() != 0 || !fed) {
            throw new IOException("the system tables could not be made in " + folder + ":\n" + tail(log));
        }
        Files.move(unfinished, data(), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Returns the beginning of every command line of a server on a data directory. */
    List<String> command(Path data) {
        List<String> command = new ArrayList<>(List.of(
                binaries.daemon().toString(),
                "--no-defaults",
                "--basedir=" + binaries.home(),
                "--datadir=" + data,
                "--tmpdir=" + temporary(),
                "--lc-messages-dir=" + binaries.share(),
                "--character-sets-dir=" + binaries.share().resolve("charsets"),
                // otherwise MariaDB 11.4 creates a TLS key at every start: 20 seconds of CPU
                "--skip-ssl"));
        if (Files.isDirectory(binaries.plugins())) {
            command.add("--plugin-dir=" + binaries.plugins());
        }
        if (ServerBinaries.onLinux() && "root".equals(System.getProperty("user.name"))) {
            // without it the server refuses to run as root
            command.add("--user=root");
        }
        return command;
    }

    /**
     * Writes the statements that create the accounts; the server runs them before it accepts a connection. The file
     * contains passwords. So only its owner can read it, and it must be deleted once the server is up.
     */
    Path writeAccounts(List<UserAccount> accounts) throws IOException {
        Path file = accounts();
        Files.deleteIfExists(file);
        if (Files.getFileAttributeView(folder, PosixFileAttributeView.class) != null) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        StringBuilder statements = new StringBuilder("SET SESSION sql_log_bin = 0;\nSET SESSION sql_mode = '';\n");
        accounts.forEach(account -> statements.append(account.statements()));
        Files.writeString(file, statements, StandardCharsets.UTF_8);
        return file;
    }

    /** The text of a log; empty if it does not exist yet. */
    static String text(Path log) throws IOException {
        try {
            // not UTF-8: a log may quote any bytes
            return Files.readString(log, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    /** The last lines of a log. */
    static String tail(Path log) throws IOException {
        List<String> lines = text(log).lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size()));
    }

    /** Returns false if the server ended before it had read everything. */
    private static boolean feed(Process server, List<Path> systemTables) {
        try (OutputStream input = server.getOutputStream()) {
            write(input, "CREATE DATABASE IF NOT EXISTS mysql;\nUSE mysql;\nSET @auth_root_socket = NULL;\n");
            for (Path file : systemTables) {
                Files.copy(file, input);
                input.write('\n');
            }
            // these files create accounts without passwords; only the caller's accounts may exist
            write(input, "DELETE FROM mysql.global_priv WHERE User IN ('', 'root');\n");
            write(input, "DELETE FROM mysql.proxies_priv;\n");
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static void write(OutputStream output, String text) throws IOException {
        output.write(text.getBytes(StandardCharsets.UTF_8));
    }
}
