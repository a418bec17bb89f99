package io.fanfold.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.session.ClientSession;
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

/** The sessions of the connected clients, up to a limit. Thread-safe; the lock is held only for moments. */
final class SessionRegistry {
    private final IntSupplier most;
    private final SessionServices services;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final Map<Channel, ClientSession> sessions = new HashMap<>();

    @GuardedBy("lock")
    private boolean draining;

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
            if (draining || sessions.size() >= most.getAsInt() || client.hasAttr(AcceptGuard.REFUSED)) {
                ClientSession.refuseTooMany(client);
                return;
            }
            sessions.put(client, ClientSession.start(client, services));
        } finally {
            lock.unlock();
        }
        client.closeFuture().addListener(closed -> remove(client));
    }

    private void remove(Channel client) {
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

    private List<ClientSession> all() {
        lock.lock();
        try {
            return List.copyOf(sessions.values());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stops accepting sessions and ends the idle ones.
     *
     * @return the number of sessions left after the time
     */
    int drain(Duration time) throws InterruptedException {
        lock.lock();
        try {
            draining = true;
        } finally {
            lock.unlock();
        }
        all().forEach(ClientSession::drain);
        return awaitNone(time);
    }

    /** Ends all sessions. */
    void stop() throws InterruptedException {
        all().forEach(ClientSession::stop);
        awaitNone(Duration.ofSeconds(5));
    }

    private int awaitNone(Duration time) throws InterruptedException {
        lock.lock();
        try {
            long left = time.toNanos();
            while (!sessions.isEmpty() && left > 0) {
                left = changed.awaitNanos(left);
            }
            return sessions.size();
        } finally {
            lock.unlock();
        }
    }
}
