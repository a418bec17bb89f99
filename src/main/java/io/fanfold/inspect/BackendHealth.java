package io.fanfold.inspect;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.client.ConnectFailure;
import io.fanfold.config.BackendConfig;
import io.fanfold.pool.WorkerPool;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.ServerPacket;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether the server can be reached and lets the worker account in. One result serves all who ask within a second.
 * Thread-safe; asking waits for the server, for some seconds at most.
 *
 * <p>With a worker account, each check logs in. Without one, a check that only connects would harm: the server counts
 * connections without a login against the proxy's address, and may block it after 100. So the last attempt to connect
 * for a client counts, and the server is tried only if that failed or there was none. Then the greeting counts: a server that
 * has blocked this host, or is hanging, accepts connections too.
 */
public final class BackendHealth {
    private static final Duration FRESH = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** Tries the server. */
    interface Trial {
        /** Returns why it failed; empty if it succeeded. */
        Optional<ConnectFailure> failure();
    }

    private final Trial trial;
    private final LongSupplier clock;

    /** The result of a trial that ended at this time. */
    private record Tried(long nanos, Optional<ConnectFailure> failure) {}

    @GuardedBy("this")
    private @Nullable Tried last;

    /** @param clock in {@link System#nanoTime} */
    BackendHealth(Trial trial, LongSupplier clock) {
        this.trial = trial;
        this.clock = clock;
    }

    /** Checks with the worker account. */
    public static BackendHealth of(WorkerPool workers) {
        return new BackendHealth(workers::tryLogin, System::nanoTime);
    }

    /**
     * Checks without an account.
     *
     * @param reached whether the last attempt to connect for a client succeeded; null if there was none
     */
    public static BackendHealth withoutAccount(BackendConfig backend, Supplier<@Nullable Boolean> reached) {
        return new BackendHealth(
                () -> Boolean.TRUE.equals(reached.get()) ? Optional.empty() : connect(backend), System::nanoTime);
    }

    private static Optional<ConnectFailure> connect(BackendConfig backend) {
        Duration patience = backend.connectTimeout().compareTo(PATIENCE) < 0 ? backend.connectTimeout() : PATIENCE;
        InetSocketAddress address = new InetSocketAddress(backend.host(), backend.port());
        try (Socket socket = new Socket()) {
            if (address.isUnresolved()) {
                throw new UnknownHostException(backend.host());
            }
            int millis = Math.toIntExact(Math.max(1, patience.toMillis()));
            socket.connect(address, millis);
            socket.setSoTimeout(millis);
            // with a PROXY header, the server would wait for it
            return backend.proxyProtocol() == BackendConfig.ProxyProtocol.OFF
                    ? refusal(socket.getInputStream())
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.of(ConnectFailure.of(e));
        }
    }

    /** Returns the error in place of the server's greeting; empty if it greets. */
    private static Optional<ConnectFailure> refusal(InputStream server) throws IOException {
        byte[] header = server.readNBytes(PacketCodec.HEADER);
        if (header.length < PacketCodec.HEADER) {
            return Optional.of(new ConnectFailure(0, "it closes connections before its greeting"));
        }
        byte[] payload = server.readNBytes((header[0] & 0xff) | (header[1] & 0xff) << 8);
        if (payload.length == 0 || (payload[0] & 0xff) != ServerPacket.ERROR) {
            return Optional.empty();
        }
        ServerPacket.Err error = ServerPacket.Err.decode(payload);
        // without a number: no error in this place depends on an account
        return Optional.of(new ConnectFailure(0, error.code() + " " + error.message()));
    }

    /** Why the server serves no client of this proxy: it cannot be reached, or refuses this host. Empty if it does. */
    public Optional<String> server() {
        return failure().filter(BackendHealth::hitsAllClients).map(ConnectFailure::text);
    }

    /**
     * Why the server does not let the worker account in, although clients may log in. Empty if it does, or if it serves
     * no client anyway.
     */
    public Optional<String> account() {
        return failure().filter(failure -> !hitsAllClients(failure)).map(ConnectFailure::text);
    }

    /** These errors come in place of the greeting. */
    private static boolean hitsAllClients(ConnectFailure failure) {
        return failure.errno() == 0
                || failure.errno() == ConnectFindings.HOST_BLOCKED
                || failure.errno() == ConnectFindings.HOST_NOT_PRIVILEGED;
    }

    /** Whether there is no failure. */
    public boolean up() {
        return failure().isEmpty();
    }

    private synchronized Optional<ConnectFailure> failure() {
        Tried known = last;
        if (known == null || clock.getAsLong() - known.nanos() >= FRESH.toNanos()) {
            Optional<ConnectFailure> failure = trial.failure();
            known = new Tried(clock.getAsLong(), failure);
            last = known;
        }
        return known.failure();
    }
}
