package io.fanfold.session;

import io.fanfold.wire.Capability;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ServerPacket;
import io.fanfold.wire.ServerStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/** A server that runs its script on each connection, each in its own thread. */
public final class ScriptedServer implements AutoCloseable {
    public static final int THREAD_ID = 0x01020304;

    public static final byte[] OK = ServerPacket.Ok.encode(ServerPacket.OK, ServerStatus.AUTOCOMMIT, 0);

    /** Every capability that a server may offer. */
    public static final long OFFERED = 0xffff_ffffL;

    /** The server's side of one connection. */
    public interface Script {
        void run(Wire client) throws Exception;
    }

    private final ServerSocket listener;
    private final Script script;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();

    ScriptedServer(Script script) throws IOException {
        this.script = script;
        this.listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        daemon(this::accept, "scripted-accept");
    }

    private static void daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                sockets.add(socket);
                daemon(() -> serve(socket), "scripted-session");
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(Socket socket) {
        try (Wire wire = new Wire(socket)) {
            script.run(wire);
        } catch (IOException e) {
            // the proxy closed the connection: many scripts end like this
        } catch (Exception | AssertionError e) {
            failures.add(e);
        }
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Returns the failures in scripts, except for closed connections. */
    List<Throwable> failures() {
        return List.copyOf(failures);
    }

    public static byte[] greeting(long capabilities) {
        return new PayloadWriter()
                .int1(10)
                .nulTerminated("9.7.4-scripted")
                .int4(THREAD_ID)
                .bytes("saltsalt".getBytes(StandardCharsets.US_ASCII))
                .int1(0)
                .int2((int) capabilities & 0xffff)
                .int1(255)
                .int2(ServerStatus.AUTOCOMMIT)
                .int2((int) (capabilities >>> 16) & 0xffff)
                .int1(21)
                .bytes(new byte[6])
                .int4(Capability.has(capabilities, Capability.CLIENT_MYSQL) ? 0 : capabilities >>> 32)
                .nulTerminated("saltsaltsalt")
                .nulTerminated("mysql_native_password")
                .toBytes();
    }

    /** Greets, accepts any login and replies OK. */
    public static void login(Wire client) throws IOException {
        client.write(0, greeting(OFFERED));
        client.read();
        client.write(2, OK);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
