package io.fanfold.observe;

import io.fanfold.catalog.TableName;
import io.fanfold.client.RowStream;
import io.fanfold.client.ServerException;
import io.fanfold.client.ServerIdentity;
import io.fanfold.client.WireConnection;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** A client of a {@link LocalProxy}. For one thread. After an IOException it is of no use any more. */
public final class ExplainClient implements AutoCloseable {
    /** The number of the exception for a statement with parameter markers. */
    static final int PARAMETERS = 0;

    /** ER_UNSUPPORTED_PS: the server cannot prepare statements of this kind, and says nothing about this one. */
    private static final int NOT_PREPARABLE = 1295;

    private final WireConnection connection;
    private String schema = "";

    ExplainClient(WireConnection connection) {
        this.connection = connection;
    }

    /** Switches autocommit on, since a proxy explains only outside of transactions. */
    void leaveTransactions() throws IOException, ServerException {
        connection.execute("SET autocommit = 1");
    }

    ServerIdentity server() {
        return connection.identity();
    }

    /** The schema that {@link #use} has set last; "" before. */
    String schema() {
        return schema;
    }

    /**
     * Sets the schema.
     *
     * @param name without quotes, not empty
     */
    public void use(String name) throws IOException, ServerException {
        if (!name.equals(schema)) {
            connection.execute("USE " + TableName.quote(name));
            schema = name;
        }
    }

    /**
     * Explains a statement. The proxy passes some statements through without a look at the server; the server then
     * prepares them here, so that it finds their mistakes.
     *
     * @throws ServerException the server's error for the statement; {@link #PARAMETERS} if it has parameter markers
     */
    public Explanation explain(String sql) throws IOException, ServerException {
        Explanation explanation =
                Explanation.of(connection.query("EXPLAIN FORMAT=FANFOLD " + sql).rows());
        if (!explanation.split()) {
            prepare(sql);
        }
        return explanation;
    }

    private void prepare(String sql) throws IOException, ServerException {
        try {
            Reply.Prepared prepared = connection.prepare(sql);
            if (prepared.parameters() > 0) {
                throw new ServerException(
                        PARAMETERS, "", "the statement has parameters (expected: values in their place)");
            }
        } catch (ServerException e) {
            if (e.errno() != NOT_PREPARABLE) {
                throw e;
            }
        }
    }

    /** Hands each row of a query over while rows arrive. */
    void rows(String sql, Consumer<Row> each) throws IOException, ServerException {
        try (RowStream rows = connection.stream(sql.getBytes(StandardCharsets.UTF_8))) {
            for (Row row = rows.next(); row != null; row = rows.next()) {
                each.accept(row);
            }
        }
    }

    /** Runs a statement and drops its rows. Afterwards the proxy has reported what happened to it. */
    void run(String sql) throws IOException, ServerException {
        rows(sql, row -> {});
        connection.ping();
    }

    @Override
    public void close() {
        connection.close();
    }
}
