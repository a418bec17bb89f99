package io.fanfold.demo;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts the rows that the servers of Spider's partitions send. Counts nothing if there are none. Not thread-safe.
 */
final class SentRows implements AutoCloseable {
    private final List<SqlClient> servers = new ArrayList<>();

    /** The number of times that each server was asked. Its answer has one row, which the next answer counts. */
    private long asked = -1;

    /** @param servers accounts of the servers */
    SentRows(SqlClient.Factory clients, List<Endpoint> servers) throws IOException {
        try {
            for (Endpoint server : servers) {
                this.servers.add(clients.open(server));
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /** Returns the number of rows that all servers have sent since their start, except to this. */
    long now() throws IOException {
        long rows = 0;
        for (SqlClient server : servers) {
            String sent = server.query(
                            "SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'Rows_sent'")
                    .first();
            if (sent == null) {
                throw new IOException("the server of a partition does not show Rows_sent");
            }
            rows += Long.parseLong(sent);
        }
        asked++;
        return rows - asked * servers.size();
    }

    @Override
    public void close() {
        servers.forEach(SqlClient::close);
    }
}
