package io.fanfold.client;

import io.fanfold.wire.CommandCode;
import io.fanfold.wire.ServerPacket;
import io.fanfold.wire.ServerStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A fake server that logs every statement and answers from a table. Pings and unknown statements get OK. */
public final class ScriptedServer implements FakeServer.Script {
    private final String version;
    private final Map<String, String> variables;
    private final Function<String, List<List<String>>> answers;
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final Map<String, Integer> errors = new ConcurrentHashMap<>();
    private final Map<String, List<String>> names = new ConcurrentHashMap<>();

    /**
     * Creates a server.
     *
     * @param variables the rows of SHOW SESSION VARIABLES
     * @param answers the rows for a statement; an empty list for statements without rows
     */
    public ScriptedServer(String version, Map<String, String> variables, Function<String, List<List<String>>> answers) {
        this.version = version;
        this.variables = variables;
        this.answers = answers;
    }

    /** Returns the statements of all connections, each as {@code connection: text}, in their order of arrival. */
    public List<String> log() {
        return log;
    }

    /** Makes all later statements with this prefix fail with this error. */
    public void fail(String prefix, int errno) {
        errors.put(prefix, errno);
    }

    /** Sets the column names of all later answers to this statement. */
    public void names(String sql, List<String> columns) {
        names.put(sql, List.copyOf(columns));
    }

    @Override
    public void play(FakeServer.Peer peer) throws IOException {
        peer.greet(FakeServer.MODERN, version, "mysql_native_password");
        peer.capabilitiesOf(peer.receive());
        peer.ok();
        boolean transaction = false;
        while (true) {
            byte[] command = peer.receive();
            if (command[0] == CommandCode.QUIT) {
                return;
            }
            String sql = new String(command, 1, command.length - 1, StandardCharsets.UTF_8);
            log.add(peer.number() + ": " + (command[0] == CommandCode.PING ? "PING" : sql));
            transaction = sql.startsWith("START") || transaction && !sql.startsWith("ROLLBACK");
            answer(peer, sql, transaction);
        }
    }

    private void answer(FakeServer.Peer peer, String sql, boolean transaction) throws IOException {
        for (Map.Entry<String, Integer> error : errors.entrySet()) {
            if (sql.startsWith(error.getKey())) {
                peer.error(error.getValue(), "HY000", "refused");
                return;
            }
        }
        List<List<String>> rows = sql.equals("SHOW SESSION VARIABLES") ? listed() : answers.apply(sql);
        if (rows.isEmpty()) {
            int status = ServerStatus.AUTOCOMMIT | (transaction ? ServerStatus.IN_TRANSACTION : 0);
            peer.send(ServerPacket.Ok.encode(ServerPacket.OK, status, 0));
        } else {
            List<byte[]> payloads = new ArrayList<>();
            rows.forEach(row -> payloads.add(WireConnectionTest.row(row.toArray(String[]::new))));
            List<String> named = names.get(sql);
            if (named == null) {
                peer.head(rows.get(0).size());
            } else {
                peer.head(named);
            }
            for (byte[] payload : payloads) {
                peer.send(payload);
            }
            int status = ServerStatus.AUTOCOMMIT | (transaction ? ServerStatus.IN_TRANSACTION : 0);
            peer.send(ServerPacket.Ok.encode(ServerPacket.EOF, status, 0));
        }
    }

    private List<List<String>> listed() {
        List<List<String>> rows = new ArrayList<>();
        variables.forEach((name, value) -> rows.add(List.of(name, value)));
        return rows;
    }
}
