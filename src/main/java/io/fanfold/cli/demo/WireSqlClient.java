package io.fanfold.cli.demo;

import io.fanfold.backend.Reply;
import io.fanfold.backend.ServerException;
import io.fanfold.backend.WireConnection;
import io.fanfold.backend.WireSettings;
import java.io.IOException;
import java.time.Duration;

/** A client over the proxy's own implementation of the protocol's client side. */
public final class WireSqlClient implements SqlClient {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    /** MariaDB before 11 puts it in front of its version, for replicas that know no two-digit one. */
    private static final String MARIADB_PREFIX = "5.5.5-";

    private final WireConnection connection;

    private WireSqlClient(WireConnection connection) {
        this.connection = connection;
    }

    /** See {@link SqlClient.Factory#open}. */
    public static SqlClient open(Endpoint endpoint) throws IOException {
        try {
            return new WireSqlClient(WireConnection.open(new WireSettings(
                    endpoint.host(),
                    endpoint.port(),
                    endpoint.user(),
                    endpoint.password(),
                    CONNECT_TIMEOUT,
                    Duration.ZERO,
                    Duration.ZERO,
                    WireSettings.DEFAULT_MAX_PAYLOAD_BYTES)));
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
        try {
            Reply.Result result = connection.query(sql);
            return new SqlAnswer(result.columns(), result.rows(), result.warnings());
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
