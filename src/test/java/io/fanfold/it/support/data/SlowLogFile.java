package io.fanfold.it.support.data;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** Logs all statements of new sessions in a slow query log, a file of its own. Closing it restores the settings. */
public final class SlowLogFile implements AutoCloseable {
    private final WireConnection admin;
    private final String file;
    private final Map<String, String> before = new LinkedHashMap<>();

    /** Begins a log in the folder from which the server lets files be read. */
    public SlowLogFile(TestServer server) throws Exception {
        admin = ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword());
        String folder = single("SELECT COALESCE(NULLIF(@@secure_file_priv, ''), @@datadir)");
        file = folder + (folder.endsWith("/") ? "" : "/") + "slow-" + System.nanoTime() + ".log";
        set("slow_query_log_file", "'" + file + "'");
        set("log_output", "'FILE'");
        set("long_query_time", "0");
        set("slow_query_log", "1");
    }

    private void set(String variable, String value) throws Exception {
        String now = single("SELECT @@GLOBAL." + variable);
        boolean number = now.chars().allMatch(c -> c == '.' || Character.isDigit(c));
        before.put(variable, number ? now : "'" + now + "'");
        admin.execute("SET GLOBAL " + variable + " = " + value);
    }

    /** Returns what the log contains so far. */
    public byte[] bytes() throws Exception {
        Path local = Path.of(file);
        // the server itself reads only files that all may read
        return Files.isReadable(local)
                ? Files.readAllBytes(local)
                : HexFormat.of().parseHex(single("SELECT HEX(LOAD_FILE('" + file + "'))"));
    }

    private String single(String sql) throws Exception {
        return Objects.requireNonNull(admin.query(sql).rows().get(0).utf8(0), sql);
    }

    @Override
    public void close() throws Exception {
        try (admin) {
            admin.execute("SET GLOBAL slow_query_log = 0");
            for (Map.Entry<String, String> variable : before.entrySet()) {
                admin.execute("SET GLOBAL " + variable.getKey() + " = " + variable.getValue());
            }
        }
    }
}
