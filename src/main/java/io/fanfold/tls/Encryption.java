package io.fanfold.tls;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ListenerTlsConfig;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * All encryption of a proxy: with clients, with the server, of the HTTP port, and of passwords. Certificates that change
 * on disk are used within seconds. Safe for use by multiple threads.
 */
public final class Encryption implements AutoCloseable {
    private static final int LOOK_SECONDS = 2;

    /** The queue of tasks, which needs two places for each connecting client. */
    private static final int WAITING = 100_000;

    private final @Nullable ListenerTls listener;
    private final @Nullable BackendTls backend;
    private final @Nullable ListenerTls http;
    private final @Nullable Path directory;
    private final ThreadPoolExecutor crypto;
    private final @Nullable ScheduledThreadPoolExecutor looks;

    @GuardedBy("this")
    private @Nullable RsaKeys passwordKeys;

    private Encryption(
            @Nullable ListenerTls listener,
            @Nullable BackendTls backend,
            @Nullable ListenerTls http,
            @Nullable Path directory) {
        this.listener = listener;
        this.backend = backend;
        this.http = http;
        this.directory = directory;
        int threads = Runtime.getRuntime().availableProcessors();
        AtomicInteger number = new AtomicInteger();
        this.crypto = new ThreadPoolExecutor(
                threads, threads, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(WAITING), task -> {
                    Thread thread = new Thread(task, "crypto-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        crypto.allowCoreThreadTimeOut(true);
        this.looks = listener == null && backend == null && http == null ? null : looking();
    }

    private ScheduledThreadPoolExecutor looking() {
        ScheduledThreadPoolExecutor looking = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "certificates");
            thread.setDaemon(true);
            return thread;
        });
        var unused = looking.scheduleWithFixedDelay(this::look, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
        return looking;
    }

    /** Reads certificates again if their files have changed. If that fails, the previous ones stay in use. */
    public void look() {
        if (listener != null) {
            listener.look();
        }
        if (backend != null) {
            backend.look();
        }
        if (http != null) {
            http.look();
        }
    }

    /** Returns an instance without TLS on either side. */
    public static Encryption none() {
        return new Encryption(null, null, null, null);
    }

    /**
     * Reads or creates the certificates and keys that the settings require.
     *
     * @throws TlsException if a file cannot be used; the message names it
     */
    public static Encryption open(FanfoldConfig config) throws TlsException {
        ListenerTlsConfig clients = config.listener().tls();
        BackendTlsConfig server = config.backend().tls();
        ListenerTlsConfig http = config.http().tls();
        return new Encryption(
                clients.mode().encrypts() ? new ListenerTls(clients) : null,
                server.mode() == BackendTlsConfig.BackendTlsMode.DISABLED ? null : new BackendTls(server),
                config.http().enabled() && http.mode().encrypts() ? new ListenerTls(http) : null,
                clients.directory());
    }

    /** Returns TLS with clients; null if the proxy itself does not encrypt. */
    public @Nullable ListenerTls listener() {
        return listener;
    }

    /** Returns TLS of the HTTP port; null if it is not encrypted. */
    public @Nullable ListenerTls http() {
        return http;
    }

    /** Returns TLS with the server; null if disabled. */
    public @Nullable BackendTls backend() {
        return backend;
    }

    /** Returns the proxy's own RSA keys. The first call creates them, which may take a second. */
    public synchronized RsaKeys passwordKeys() throws TlsException {
        RsaKeys keys = passwordKeys;
        if (keys == null) {
            keys = RsaKeys.of(directory);
            passwordKeys = keys;
        }
        return keys;
    }

    /** Returns the executor of slow cryptographic tasks; they must not block. */
    public Executor crypto() {
        return crypto;
    }

    @Override
    public void close() {
        if (looks != null) {
            looks.shutdownNow();
        }
        crypto.shutdown();
    }
}
