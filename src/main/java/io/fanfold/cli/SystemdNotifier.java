package io.fanfold.cli;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells systemd the state of the process, for units of {@code Type=notify} (sd_notify(3)). Does nothing if the process
 * is not such a unit. A failure is logged and has no other effect. Thread-safe; each call returns when systemd has read
 * the message, usually within milliseconds.
 *
 * <p>NOTIFY_SOCKET is a datagram socket, which Java 17 cannot open. The program {@code systemd-notify} is there wherever
 * systemd is. It sends the messages as a process of its own, so the unit needs {@code NotifyAccess=all}.
 */
final class SystemdNotifier {
    private static final Logger LOG = LoggerFactory.getLogger(SystemdNotifier.class);

    /** systemd-notify itself waits for 5 seconds at most. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** What is left to do after the drain time: killing statements of workers, closing connections. */
    private static final Duration AFTER_DRAIN = Duration.ofSeconds(20);

    private final boolean enabled;
    private final String program;
    private final Duration patience;

    SystemdNotifier(boolean enabled, String program, Duration patience) {
        this.enabled = enabled;
        this.program = program;
        this.patience = patience;
    }

    /** Returns the one of this process. */
    static SystemdNotifier ofProcess() {
        return new SystemdNotifier(System.getenv("NOTIFY_SOCKET") != null, "systemd-notify", PATIENCE);
    }

    /**
     * The proxy accepts clients.
     *
     * @param status one line for {@code systemctl status}
     */
    void ready(String status) {
        send("READY=1", "STATUS=" + status);
    }

    /** Runs a reload, and tells systemd when it begins and ends. One at a time. */
    synchronized void reload(Runnable reload) {
        send("RELOADING=1");
        try {
            reload.run();
        } finally {
            send("READY=1");
        }
    }

    /**
     * The proxy begins to stop. systemd waits for the drain time, also if TimeoutStopSec is shorter.
     *
     * @param drainTime the time for running statements and open transactions
     */
    void stopping(Duration drainTime) {
        long micros = TimeUnit.MILLISECONDS.toMicros(drainTime.plus(AFTER_DRAIN).toMillis());
        send(
                "STOPPING=1",
                "EXTEND_TIMEOUT_USEC=" + micros,
                "STATUS=stopping; clients may finish within " + drainTime.toSeconds() + " s");
    }

    private void send(String... message) {
        if (!enabled) {
            return;
        }
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(List.of(message));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.INHERIT)
                    .start();
            if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                LOG.warn(
                        "systemd does not know {}: {} did not end within {} ms",
                        message[0],
                        program,
                        patience.toMillis());
            } else if (process.exitValue() != 0) {
                LOG.warn("systemd does not know {}: {} ended with status {}", message[0], program, process.exitValue());
            }
        } catch (IOException e) {
            LOG.warn("systemd does not know {}: {}", message[0], e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
