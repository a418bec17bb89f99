package io.fanfold.client;

import io.fanfold.config.Secret;
import io.fanfold.row.ColumnType;
import io.fanfold.wire.Capability;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ServerPacket;
import io.fanfold.wire.ServerStatus;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** A server on the loopback address that runs a script for every connection. */
public final class FakeServer implements AutoCloseable {
    static final byte[] CHALLENGE = "abcdefghijklmnopqrst".getBytes(StandardCharsets.US_ASCII);
    static final long PLAIN = Capability.CLIENT_MYSQL
            | Capability.PROTOCOL_41
            | Capability.SECURE_CONNECTION
            | Capability.PLUGIN_AUTH
            | Capability.PLUGIN_AUTH_LENENC_DATA
            | Capability.CONNECT_ATTRS;
    static final long MODERN = PLAIN | Capability.DEPRECATE_EOF;

    private final ServerSocket listener;
    private final Thread acceptor;
    private final Script script;
    private final Delivery delivery;
    private final AtomicInteger accepted = new AtomicInteger();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();

    /** The server's side of one connection. The connection is closed when the script returns. */
    public interface Script {
        void play(Peer peer) throws IOException;
    }

    /** Sends the server's bytes to the client. */
    interface Delivery {
        void deliver(OutputStream to, byte[] bytes) throws IOException;
    }

    public static final Delivery WHOLE = OutputStream::write;
    static final Delivery BYTE_BY_BYTE = (to, bytes) -> {
        for (byte one : bytes) {
            to.write(one);
            to.flush();
        }
    };

    public FakeServer(Script script) throws IOException {
        this(script, WHOLE);
    }

    FakeServer(Script script, Delivery delivery) throws IOException {
        this(script, delivery, 0);
    }

    public FakeServer(Script script, Delivery delivery, int port) throws IOException {
        this.script = script;
        this.delivery = delivery;
        this.listener = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        this.acceptor = new Thread(this::accept, "fake-server");
        acceptor.setDaemon(true);
        acceptor.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                sockets.add(socket);
                int number = accepted.incrementAndGet();
                Thread thread = new Thread(() -> serve(socket, number), "fake-server-" + number);
                thread.setDaemon(true);
                thread.start();
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket, int number) {
        try (socket) {
            socket.setTcpNoDelay(true);
            script.play(new Peer(socket, number, delivery));
        } catch (IOException e) {
            // The client left, or the test closed the server. The test checks the client's side.
            return;
        } catch (RuntimeException | Error e) {
            failures.add(e);
        }
    }

    public int port() {
        return listener.getLocalPort();
    }

    public int accepted() {
        return accepted.get();
    }

    /** Cuts every connection accepted so far. */
    public void cutAll() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    public WireSettings settings(String user, String password) {
        return new WireSettings(
                InetAddress.getLoopbackAddress().getHostAddress(),
                port(),
                user,
                new Secret(password),
                Duration.ofSeconds(20),
                Duration.ofSeconds(20),
                Duration.ZERO,
                WireSettings.DEFAULT_MAX_PAYLOAD_BYTES);
    }

    public WireConnection open() throws IOException, ServerException {
        return WireConnection.open(settings("worker", ""));
    }

    @Override
    public void close() throws IOException {
        listener.close();
        try {
            // Until it has noticed, a connection may still be accepted.
            acceptor.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        cutAll();
        if (!failures.isEmpty()) {
            throw new AssertionError("the script failed", failures.get(0));
        }
    }

    /** One connection from the server's view. */
    public static final class Peer {
        private final DataInputStream in;
        private final OutputStream out;
        private final Delivery delivery;
        private final int number;
        private int sequence;
        private long capabilities;

        Peer(Socket socket, int number, Delivery delivery) throws IOException {
            this.in = new DataInputStream(socket.getInputStream());
            this.out = socket.getOutputStream();
            this.number = number;
            this.delivery = delivery;
        }

        /** Returns the connection's number, from 1; also its thread id. */
        public int number() {
            return number;
        }

        /** Returns the capabilities of the client's response. */
        long capabilities() {
            return capabilities;
        }

        void greet(long offered, String version, String plugin) throws IOException {
            sequence = 0;
            send(new PayloadWriter()
                    .int1(10)
                    .nulTerminated(version)
                    .int4(number)
                    .bytes(Arrays.copyOf(CHALLENGE, 8))
                    .int1(0)
                    .int2((int) offered & 0xffff)
                    .int1(45)
                    .int2(ServerStatus.AUTOCOMMIT)
                    .int2((int) (offered >>> 16) & 0xffff)
                    .int1(21)
                    .bytes(new byte[10])
                    .bytes(Arrays.copyOfRange(CHALLENGE, 8, 20))
                    .int1(0)
                    .nulTerminated(plugin)
                    .toBytes());
        }

        /** Greets as MySQL and accepts any login. */
        void logIn(long offered) throws IOException {
            greet(offered, "9.7.0", "mysql_native_password");
            capabilitiesOf(receive());
            ok();
        }

        /** Reads the capabilities from the client's response. */
        void capabilitiesOf(byte[] response) {
            capabilities = response[0] & 0xff
                    | (response[1] & 0xff) << 8
                    | (response[2] & 0xff) << 16
                    | (long) (response[3] & 0xff) << 24;
        }

        /** Reads a command. The sequence ids of the reply follow those of the command. */
        byte[] receive() throws IOException {
            ByteArrayOutputStream payload = new ByteArrayOutputStream();
            int length;
            do {
                byte[] header = in.readNBytes(4);
                if (header.length < 4) {
                    throw new IOException("the client left");
                }
                length = header[0] & 0xff | (header[1] & 0xff) << 8 | (header[2] & 0xff) << 16;
                sequence = (header[3] & 0xff) + 1;
                payload.writeBytes(in.readNBytes(length));
            } while (length == 0xffffff);
            return payload.toByteArray();
        }

        String receiveQuery() throws IOException {
            byte[] command = receive();
            return new String(command, 1, command.length - 1, StandardCharsets.UTF_8);
        }

        void send(byte[] payload) throws IOException {
            byte[] framed = new byte[PacketCodec.framedLength(payload.length)];
            sequence = PacketCodec.frame(payload, framed, 0, sequence & 0xff);
            raw(framed);
        }

        /** Continues as if a command of this number of packets had just arrived. */
        void replyTo(int packets) {
            sequence = packets;
        }

        void raw(byte[] bytes) throws IOException {
            delivery.deliver(out, bytes);
            out.flush();
        }

        void ok() throws IOException {
            send(ServerPacket.Ok.encode(ServerPacket.OK, ServerStatus.AUTOCOMMIT, 0));
        }

        void error(int code, String state, String message) throws IOException {
            send(new ServerPacket.Err(code, state, message).encode());
        }

        /** Sends a result set of VARCHAR columns named c0, c1 ... in the format that the connection negotiated. */
        void result(int columns, List<byte[]> rowPayloads, int warnings) throws IOException {
            head(columns);
            for (byte[] row : rowPayloads) {
                send(row);
            }
            end(warnings);
        }

        void head(int columns) throws IOException {
            send(new PayloadWriter().lenencInt(columns).toBytes());
            definitions(columns);
        }

        void head(List<String> names) throws IOException {
            send(new PayloadWriter().lenencInt(names.size()).toBytes());
            definitions(names);
        }

        void definitions(int columns) throws IOException {
            definitions(IntStream.range(0, columns).mapToObj(i -> "c" + i).toList());
        }

        private void definitions(List<String> names) throws IOException {
            for (String name : names) {
                send(column(name));
            }
            if (!Capability.has(capabilities, Capability.DEPRECATE_EOF)) {
                send(ServerPacket.Eof.encode(0, ServerStatus.AUTOCOMMIT));
            }
        }

        void end(int warnings) throws IOException {
            send(
                    Capability.has(capabilities, Capability.DEPRECATE_EOF)
                            ? ServerPacket.Ok.encode(ServerPacket.EOF, ServerStatus.AUTOCOMMIT, warnings)
                            : ServerPacket.Eof.encode(warnings, ServerStatus.AUTOCOMMIT));
        }
    }

    static byte[] column(String name) {
        return new PayloadWriter()
                .lenencString("def")
                .lenencString("")
                .lenencString("t")
                .lenencString("")
                .lenencString(name)
                .lenencString("")
                .int1(0x0c)
                .int2(45)
                .int4(1024)
                .int1(ColumnType.VAR_STRING.code())
                .int2(0)
                .int1(31)
                .int2(0)
                .toBytes();
    }
}
