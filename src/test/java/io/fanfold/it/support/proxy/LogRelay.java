package io.fanfold.it.support.proxy;

import io.fanfold.it.support.server.TestServer;
import io.fanfold.wire.CommandCode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A TCP forwarder between a proxy and its server that delays the server's binary log on request. Other connections are not
 * affected. Thread-safe.
 */
public final class LogRelay extends TcpForwarder<LogRelay.LogLink> {
    /** Guards the fields below. */
    private final Object lock = new Object();

    private boolean holding;
    private int held;

    private LogRelay(InetSocketAddress target) throws IOException {
        super(0, target);
    }

    /** Starts to forward to a server, from any free port. */
    public static LogRelay before(TestServer server) throws IOException {
        LogRelay relay = new LogRelay(new InetSocketAddress(server.host(), server.port()));
        relay.start();
        return relay;
    }

    /** Keeps what the server sends of its log from now on. */
    public void hold() {
        synchronized (lock) {
            holding = true;
            held = 0;
        }
    }

    /** Forwards what was kept. */
    public void release() {
        synchronized (lock) {
            holding = false;
            lock.notifyAll();
        }
    }

    /** Returns how many times bytes of the log had to wait since {@link #hold}. */
    public int held() {
        synchronized (lock) {
            return held;
        }
    }

    @Override
    public void close() throws IOException {
        super.close();
        release();
    }

    @Override
    LogLink link(Socket client, Socket server) {
        return new LogLink(client, server);
    }

    /** A link that knows whether it carries the log. */
    final class LogLink extends Link {
        private volatile boolean log;

        LogLink(Socket client, Socket server) {
            super(client, server);
        }

        @Override
        void upwards() throws IOException {
            forward(client, server, (chunk, n) -> {
                // a command is written at once; packet 0 of an exchange is a command
                if (n > 4 && chunk[3] == 0) {
                    log |= chunk[4] == CommandCode.BINLOG_DUMP || chunk[4] == CommandCode.BINLOG_DUMP_GTID;
                }
            });
        }

        @Override
        void downwards() throws IOException {
            forward(server, client, (chunk, n) -> awaitRelease());
        }

        private void awaitRelease() throws IOException {
            synchronized (lock) {
                held += log && holding ? 1 : 0;
                while (log && holding) {
                    try {
                        lock.wait();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                }
            }
        }
    }
}
