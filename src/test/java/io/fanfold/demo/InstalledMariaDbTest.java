package io.fanfold.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the server of these tests is a shell script")
class InstalledMariaDbTest {
    @TempDir
    private Path folder;

    @Test
    void aServerAndItsFoldersAreFound() throws Exception {
        Path daemon = server("basedir   " + folder + "/\nplugin-dir   " + folder + "/plugin/\n");
        Path share = Files.createDirectories(folder.resolve("share/mariadb"));
        Files.createFile(share.resolve("mariadb_system_tables.sql"));
        Files.createFile(Files.createDirectory(folder.resolve("plugin")).resolve("ha_spider.so"));

        InstalledMariaDb found = InstalledMariaDb.find(List.of(folder.resolve("other"), daemon.getParent()));

        assertThat(found.version()).isEqualTo("10.11.18");
        assertThat(found.binaries()).isEqualTo(new ServerBinaries(folder, daemon, share, folder.resolve("plugin")));
    }

    @Test
    void aMissingServerIsNamedWithWhatToInstall() {
        assertThatIOException()
                .isThrownBy(() -> InstalledMariaDb.find(List.of(folder)))
                .withMessageStartingWith("Spider needs an installed MariaDB server, but there is no mariadbd in PATH")
                .withMessageEndingWith("(Debian and Ubuntu: apt-get install mariadb-server mariadb-plugin-spider)");
    }

    @Test
    void aMissingPluginIsNamed() throws Exception {
        Path daemon = server("basedir   " + folder + "/\nplugin-dir   " + folder + "/plugin/\n");
        assertThatIOException()
                .isThrownBy(() -> InstalledMariaDb.find(List.of(daemon.getParent())))
                .withMessageStartingWith("the Spider plugin is missing: there is no ha_spider.so in " + folder);
    }

    @Test
    void aProgramThatIsNoServerIsNamed() throws Exception {
        Path daemon = server("nothing");
        assertThatIOException()
                .isThrownBy(() -> InstalledMariaDb.find(List.of(daemon.getParent())))
                .withMessageStartingWith(
                        daemon + " --verbose --help does not show its folders:\nmariadbd  Ver 10.11.18");
    }

    /** A program that shows its variables as a server does. */
    private Path server(String variables) throws IOException {
        Path daemon = Files.createDirectory(folder.resolve("sbin")).resolve("mariadbd");
        Files.writeString(
                daemon,
                "#!/bin/sh\ncat <<'END'\nmariadbd  Ver 10.11.18-MariaDB-0+deb12u1 for debian-linux-gnu\n" + variables
                        + "\nEND\n");
        assertThat(daemon.toFile().setExecutable(true)).isTrue();
        return daemon;
    }
}
