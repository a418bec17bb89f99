package io.fanfold.demo;

import io.fanfold.client.RowStream;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.client.WireSettings;
import io.fanfold.config.BackendConfig.ProxyProtocol;
import io.fanfold.row.Row;
import io.fanfold.tls.BackendTls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A client that uses the proxy's own implementation of the client side of the protocol. */
public final class WireSqlClient implements SqlClient {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    /** MariaDB before 11 adds this prefix to its version, for replicas that cannot read a two-digit version. */
    private static final String MARIADB_PREFIX = "5.5.5-";

    private final WireConnection connection;

    private WireSqlClient(WireConnection connection) {
        this.connection = connection;
    }

    /** See {@link SqlClient.Factory#open}. The connection is not encrypted. */
    public static SqlClient open(Endpoint endpoint) throws IOException {
        return open(endpoint, null);
    }

    /** Returns what opens encrypted connections. */
    public static SqlClient.Factory encrypted(BackendTls tls) {
        return endpoint -> open(endpoint, new WireSettings.Tls(tls, endpoint.host()));
    }

    private static SqlClient open(Endpoint endpoint, WireSettings.@Nullable Tls tls) throws IOException {
        try {
            return new WireSqlClient(WireConnection.open(new WireSettings(
                    endpoint.host(),
                    endpoint.port(),
                    endpoint.user(),
                    endpoint.password(),
                    CONNECT_TIMEOUT,
                    Duration.ZERO,
                    Duration.ZERO,
                    WireSettings.DEFAULT_MAX_PAYLOAD_BYTES,
                    ProxyProtocol.OFF,
                    tls)));
        } catch (ServerException e) {
            throw failure(e);
        } catch (IOException e) {
            throw new IOException(endpoint.host() + ":" + endpoint.port() + " cannot be reached: " + e.getMessage(), e);
        }
    }

    @Override
    public void execute(String sql) throws IOException {
        try {
            connection.execute(sql);
        } catch (ServerException e) {
            throw failure(e);
        }
    }

    @Override
    public SqlAnswer query(String sql) throws IOException {
        // streamed: answers of the benchmark are larger than the limit for one reply to a worker
        try (RowStream stream = connection.stream(sql.getBytes(StandardCharsets.UTF_8))) {
            List<Row> rows = new ArrayList<>();
            for (Row row = stream.next(); row != null; row = stream.next()) {
                rows.add(row);
            }
            return new SqlAnswer(stream.columns(), rows, stream.warnings());
        } catch (ServerException e) {
            throw failure(e);
        }
    }

    @Override
    public long drain(String sql) throws IOException {
        try (RowStream stream = connection.stream(sql.getBytes(StandardCharsets.UTF_8))) {
            long rows = 0;
            while (stream.next() != null) {
                rows++;
            }
            return rows;
        } catch (ServerException e) {
            throw failure(e);
        }
    }

    @Override
    public void ping() throws IOException {
        if (!connection.ping()) {
            throw new IOException("the connection is lost");
        }
    }

    @Override
    public void patience(Duration longest) throws IOException {
        connection.readTimeout(longest);
    }

    @Override
    public String serverVersion() {
        String text = connection.identity().versionText();
        return text.startsWith(MARIADB_PREFIX) ? text.substring(MARIADB_PREFIX.length()) : text;
    }

    @Override
    public void close() {
        connection.close();
    }

    private static SqlFailure failure(ServerException e) {
        SqlFailure failure = new SqlFailure(e.errno(), e.sqlState(), String.valueOf(e.getMessage()));
        failure.initCause(e);
        return failure;
    }
}
