package io.fanfold.it.support.data;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.row.Row;
import java.util.ArrayList;
import java.util.List;

/** Records the text statements that a server receives, in its general log. Closing it switches the log off. */
public final class GeneralLog implements AutoCloseable {
    private final WireConnection admin;

    /**
     * A statement.
     *
     * @param thread the id of the connection that sent it
     */
    public record Entry(long thread, String sql) {}

    /** Clears the log and switches it on. */
    public GeneralLog(ProxiedServer proxy) throws Exception {
        this.admin = proxy.direct();
        admin.execute("SET GLOBAL log_output = 'TABLE'");
        admin.execute("TRUNCATE TABLE mysql.general_log");
        admin.execute("SET GLOBAL general_log = ON");
    }

    /** Returns all statements so far in log order, including prepared ones of workers and clients. */
    public List<Entry> statements() throws Exception {
        return of("TRUE");
    }

    /** Returns the statements of the worker account only. */
    public List<Entry> ofWorkers() throws Exception {
        return of("user_host LIKE '" + ProxiedServer.WORKER + "[%'");
    }

    private List<Entry> of(String condition) throws Exception {
        List<Entry> statements = new ArrayList<>();
        for (Row row : admin.query("SELECT thread_id, CONVERT(argument USING utf8mb4) FROM mysql.general_log"
                        + " WHERE command_type IN ('Query', 'Prepare') AND " + condition)
                .rows()) {
            statements.add(new Entry(Long.parseLong(String.valueOf(row.ascii(0))), String.valueOf(row.utf8(1))));
        }
        return statements;
    }

    @Override
    public void close() throws Exception {
        try (admin) {
            admin.execute("SET GLOBAL general_log = OFF");
        }
    }
}
