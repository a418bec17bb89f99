package io.fanfold.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(value = OS.WINDOWS, disabledReason = "there is no sleep to play the server")
class OwnerFileTest {
    @TempDir
    private Path folder;

    private Process server;

    @BeforeEach
    void startServer() throws IOException {
        server = new ProcessBuilder("sleep", "600").start();
    }

    @AfterEach
    void endServer() {
        server.destroyForcibly();
    }

    @Test
    void endsAServerWhoseOwnerIsGone() throws Exception {
        Process owner = new ProcessBuilder("sleep", "600").start();
        OwnerFile file = new OwnerFile(folder.resolve("owner"));
        file.write(server.toHandle(), owner.toHandle());
        owner.destroyForcibly().waitFor();

        file.endOrphan();

        assertThat(server.isAlive()).isFalse();
        assertThat(folder.resolve("owner")).doesNotExist();
    }

    @Test
    void refusesAFolderWhoseOwnerIsAlive() throws Exception {
        OwnerFile file = new OwnerFile(folder.resolve("owner"));
        file.write(server.toHandle(), ProcessHandle.current());

        assertThatThrownBy(file::endOrphan)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(folder.toString())
                .hasMessageContaining(
                        "in use by process " + ProcessHandle.current().pid());
        assertThat(server.isAlive()).isTrue();
    }

    @Test
    void leavesAProcessAloneThatWasGivenTheSameId() throws Exception {
        // The start time differs from the server's.
        Files.writeString(folder.resolve("owner"), server.pid() + " 86400000\n1 86400000\n", StandardCharsets.US_ASCII);

        new OwnerFile(folder.resolve("owner")).endOrphan();

        assertThat(server.isAlive()).isTrue();
        assertThat(folder.resolve("owner")).doesNotExist();
    }

    @Test
    void takesAFileThatWasCutOffForNone() throws Exception {
        Files.writeString(folder.resolve("owner"), Long.toString(server.pid()), StandardCharsets.US_ASCII);

        new OwnerFile(folder.resolve("owner")).endOrphan();

        assertThat(server.isAlive()).isTrue();
    }

    @Test
    void doesNothingWithoutAFile() throws Exception {
        new OwnerFile(folder.resolve("owner")).endOrphan();

        assertThat(folder).isEmptyDirectory();
    }
}
