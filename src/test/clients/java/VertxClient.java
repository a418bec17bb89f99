import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.mysqlclient.MySQLClient;
import io.vertx.mysqlclient.MySQLConnectOptions;
import io.vertx.mysqlclient.MySQLConnection;
import io.vertx.mysqlclient.MySQLException;
import io.vertx.mysqlclient.SslMode;
import io.vertx.sqlclient.PreparedStatement;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** The MySQL client of Vert.x. */
final class VertxClient extends Client {
    private final Vertx vertx = Vertx.vertx();
    private final MySQLConnectOptions options;
    private MySQLConnection connection;

    VertxClient(Target target) {
        options = new MySQLConnectOptions()
                .setHost(target.host())
                .setPort(target.port())
                .setUser(target.user())
                .setPassword(target.password())
                .setDatabase(target.database())
                .setCharset("utf8mb4");
        if (target.tls()) {
            options.setSslMode(SslMode.REQUIRED).setSslOptions(new ClientSSLOptions().setTrustAll(true));
        }
    }

    private static <T> T await(Future<T> future) throws Exception {
        try {
            return future.toCompletionStage().toCompletableFuture().get(100, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof MySQLException error) {
                throw new Failed(error.getErrorCode() + " " + error.getSqlState() + " " + error.getMessage());
            }
            throw new Failed(e.getCause().toString());
        }
    }

    private MySQLConnection open() throws Exception {
        return await(MySQLConnection.connect(vertx, options));
    }

    @Override
    void connect() throws Exception {
        connection = open();
    }

    @Override
    void close() throws Exception {
        await(connection.close());
    }

    @Override
    long connectionId() throws Exception {
        return await(connection.query("SELECT CONNECTION_ID()").execute()).iterator().next().getLong(0);
    }

    private static List<Object> values(Row row) {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < row.size(); i++) {
            values.add(row.getValue(i));
        }
        return values;
    }

    private static void sayAll(RowSet<Row> first) {
        for (RowSet<Row> result = first; result != null; result = result.next()) {
            if (result.columnDescriptors() != null) {
                result.columnDescriptors().forEach(c -> say("column " + c.name() + " " + c.typeName() + " " + c.jdbcType()));
            }
            for (Row row : result) {
                say("row " + line(values(row)));
            }
            say("rows " + result.size() + " affected " + result.rowCount() + " id "
                    + result.property(MySQLClient.LAST_INSERTED_ID));
        }
    }

    @Override
    void query(String sql) throws Exception {
        sayAll(await(connection.query(sql).execute()));
    }

    @Override
    void prepared(List<Object> parameters, String sql) throws Exception {
        sayAll(await(connection.preparedQuery(sql).execute(Tuple.tuple(parameters))));
    }

    @Override
    void many(List<List<Object>> parameters, String sql) throws Exception {
        sayAll(await(connection.preparedQuery(sql).executeBatch(parameters.stream().map(Tuple::tuple).toList())));
    }

    /** It streams prepared statements only, by a cursor. */
    @Override
    void stream(String sql) throws Exception {
        PreparedStatement statement = await(connection.prepare(sql));
        Rows rows = new Rows();
        CompletableFuture<Void> end = new CompletableFuture<>();
        statement.createStream(500)
                .handler(row -> rows.add(values(row)))
                .exceptionHandler(end::completeExceptionally)
                .endHandler(ended -> end.complete(null));
        end.get(100, TimeUnit.SECONDS);
        rows.say();
        await(statement.close());
    }

    @Override
    void ping() throws Exception {
        await(connection.ping());
    }

    @Override
    void reset() throws Exception {
        await(connection.resetConnection());
    }

    private static void awaitList(MySQLConnection other, String condition, boolean wanted) throws Exception {
        String sql = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND " + condition;
        while (await(other.query(sql).execute()).iterator().next().getLong(0) > 0 != wanted) {
            Thread.sleep(10);
        }
    }

    @Override
    void killquery(String sql) throws Exception {
        long id = connectionId();
        Future<RowSet<Row>> running = connection.query(sql).execute();
        MySQLConnection other = open();
        // not by its id: through the proxy others may run it
        awaitList(other, "INFO LIKE '%a.seconds%b.n%c.n%'", true);
        await(other.query("KILL QUERY " + id).execute());
        await(other.close());
        await(running);
    }

    @Override
    void killThis() throws Exception {
        long id = connectionId();
        MySQLConnection other = open();
        await(other.query("KILL " + id).execute());
        awaitList(other, "ID = " + id, false);
        await(other.close());
    }
}
