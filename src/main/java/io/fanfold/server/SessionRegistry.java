package io.fanfold.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.session.ClientRefusal;
import io.fanfold.session.ClientSession;
import io.fanfold.session.channel.RateLimitedWarning;
import io.fanfold.session.command.SessionServices;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.slf4j.LoggerFactory;

/** The sessions of the connected clients, up to a limit. Thread-safe; the lock is held only for moments. */
final class SessionRegistry {
    private final RateLimitedWarning tooMany = new RateLimitedWarning(LoggerFactory.getLogger(SessionRegistry.class));
    private final IntSupplier most;
    private final SessionServices services;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final Map<Channel, ClientSession> sessions = new HashMap<>();

    @GuardedBy("lock")
    private boolean refusing;

    /** @param most the most sessions at a time */
    SessionRegistry(IntSupplier most, SessionServices services) {
        this.most = most;
        this.services = services;
    }

    /** Returns the handler that begins a session on each accepted channel. */
    ChannelHandler initializer() {
        return new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel client) {
                accept(client);
            }
        };
    }

    private void accept(Channel client) {
        lock.lock();
        try {
            if (refusing) {
                ClientRefusal.stopping(client);
                return;
            }
            if (sessions.size() >= most.getAsInt() || client.hasAttr(AcceptGuard.REFUSED)) {
                ClientRefusal.tooMany(client);
                services.metrics().clientRefused();
                if (!client.hasAttr(AcceptGuard.REFUSED)) {
                    tooMany.warn("a client is refused: limits.connections (" + most.getAsInt() + ") is reached");
                }
                return;
            }
            sessions.put(client, ClientSession.start(client, services));
            services.metrics().clientConnected();
        } finally {
            lock.unlock();
        }
        client.closeFuture().addListener(closed -> remove(client));
    }

    private void remove(Channel client) {
        services.metrics().clientDisconnected();
        lock.lock();
        try {
            sessions.remove(client);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    int size() {
        lock.lock();
        try {
            return sessions.size();
        } finally {
            lock.unlock();
        }
    }

    List<ClientSession> all() {
        lock.lock();
        try {
            return List.copyOf(sessions.values());
        } finally {
            lock.unlock();
        }
    }

    /** From now on new clients are refused, because the proxy stops. */
    void refuse() {
        lock.lock();
        try {
            refusing = true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until there are no sessions.
     *
     * @return whether there are none; false after the time
     */
    boolean awaitNone(Duration time) throws InterruptedException {
        lock.lock();
        try {
            long left = time.toNanos();
            while (!sessions.isEmpty() && left > 0) {
                left = changed.awaitNanos(left);
            }
            return sessions.isEmpty();
        } finally {
            lock.unlock();
        }
    }
}
