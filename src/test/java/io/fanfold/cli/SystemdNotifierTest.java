package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import ch.qos.logback.classic.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Messages are sent by a program that only records them. {@code ArchiveIT} has the real one. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "it runs shell scripts in place of systemd-notify")
class SystemdNotifierTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void sendsEachMessageAtOnce() throws Exception {
        SystemdNotifier systemd = new SystemdNotifier(true, recorder(0), PATIENCE);
        systemd.ready("clients on [::1]:3307, server at db:3306");
        systemd.reload(() -> record("reload"));
        systemd.stopping(Duration.ofSeconds(60));
        assertThat(recorded())
                .containsExactly(
                        "READY=1|STATUS=clients on [::1]:3307, server at db:3306|",
                        "RELOADING=1|",
                        "reload",
                        "READY=1|",
                        "STOPPING=1|EXTEND_TIMEOUT_USEC=80000000|STATUS=stopping; clients may finish within 60 s|");
    }

    @Test
    void aReloadThatFailsEndsToo() throws Exception {
        SystemdNotifier systemd = new SystemdNotifier(true, recorder(0), PATIENCE);
        assertThatIllegalStateException()
                .isThrownBy(() -> systemd.reload(() -> {
                    throw new IllegalStateException("broken");
                }));
        assertThat(recorded()).containsExactly("RELOADING=1|", "READY=1|");
    }

    @Test
    void isSilentWithoutSystemd() throws Exception {
        SystemdNotifier systemd = new SystemdNotifier(false, recorder(0), PATIENCE);
        systemd.ready("fine");
        systemd.reload(() -> record("reload"));
        systemd.stopping(PATIENCE);
        assertThat(recorded()).containsExactly("reload");
    }

    @Test
    void logsWhatSystemdDoesNotKnow() throws Exception {
        try (CapturedLog log = CapturedLog.of(Level.WARN)) {
            new SystemdNotifier(true, recorder(3), PATIENCE).ready("fine");
            new SystemdNotifier(true, folder.resolve("none").toString(), PATIENCE).ready("fine");
            new SystemdNotifier(true, script("exec sleep 600"), Duration.ofMillis(50)).ready("fine");
            List<String> lines = log.lines();
            assertThat(lines).hasSize(3).allMatch(line -> line.startsWith("WARN systemd does not know READY=1: "));
            assertThat(lines.get(0)).endsWith("ended with status 3");
            assertThat(lines.get(1)).contains("No such file");
            assertThat(lines.get(2)).endsWith("did not end within 50 ms");
        }
    }

    private String recorder(int status) throws IOException {
        return script("printf '%s|' \"$@\" >> '" + record() + "'\necho >> '" + record() + "'\nexit " + status);
    }

    private String script(String commands) throws IOException {
        Path script = folder.resolve("systemd-notify");
        Files.writeString(script, "#!/bin/sh\n" + commands + "\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        return script.toString();
    }

    private Path record() {
        return folder.resolve("record");
    }

    private void record(String line) {
        try {
            Files.writeString(
                    record(), Files.exists(record()) ? Files.readString(record()) + line + "\n" : line + "\n");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<String> recorded() throws IOException {
        return Files.readAllLines(record());
    }
}
