import io.r2dbc.spi.ColumnMetadata;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ConnectionFactoryOptions;
import io.r2dbc.spi.Option;
import io.r2dbc.spi.R2dbcException;
import io.r2dbc.spi.Result;
import io.r2dbc.spi.Row;
import io.r2dbc.spi.Statement;
import io.r2dbc.spi.ValidationDepth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** R2DBC, with the driver of io.asyncer or of MariaDB. */
final class R2dbcClient extends Client {
    private final ConnectionFactory factory;
    private Connection connection;

    R2dbcClient(String driver, Target target) {
        ConnectionFactoryOptions.Builder options = ConnectionFactoryOptions.builder()
                .option(ConnectionFactoryOptions.DRIVER, driver.substring("r2dbc-".length()))
                .option(ConnectionFactoryOptions.HOST, target.host())
                .option(ConnectionFactoryOptions.PORT, target.port())
                .option(ConnectionFactoryOptions.USER, target.user())
                .option(ConnectionFactoryOptions.PASSWORD, target.password())
                .option(ConnectionFactoryOptions.DATABASE, target.database());
        if (driver.equals("r2dbc-mariadb")) {
            options.option(Option.valueOf("sslMode"), target.tls() ? "trust" : "disable")
                    .option(Option.valueOf("allowPublicKeyRetrieval"), "true")
                    .option(Option.valueOf("allowMultiQueries"), "true")
                    .option(Option.valueOf("useServerPrepStmts"), "true");
        } else {
            options.option(Option.valueOf("sslMode"), target.tls() ? "required" : "disabled")
                    .option(Option.valueOf("useServerPrepareStatement"), "true");
        }
        factory = ConnectionFactories.get(options.build());
    }

    private static <T> List<T> await(Publisher<T> publisher) throws Failed {
        try {
            return Flux.from(publisher).collectList().block(Duration.ofSeconds(100));
        } catch (R2dbcException e) {
            throw new Failed(e.getClass().getSimpleName() + " " + e.getErrorCode() + " " + e.getSqlState() + " "
                    // one driver numbers the connections that it lost
                    + e.getMessage().replaceAll("threadId=[0-9]+|connection id [0-9]+", ""));
        }
    }

    @Override
    void connect() throws Exception {
        connection = await(factory.create()).get(0);
    }

    @Override
    void close() throws Exception {
        await(connection.close());
    }

    private static long number(Connection of, String sql) throws Exception {
        return await(Flux.from(of.createStatement(sql).execute())
                        .concatMap(result -> result.map((row, metadata) -> ((Number) row.get(0)).longValue())))
                .get(0);
    }

    @Override
    long connectionId() throws Exception {
        return number(connection, "SELECT CONNECTION_ID()");
    }

    private static List<Object> values(Row row) {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < row.getMetadata().getColumnMetadatas().size(); i++) {
            values.add(row.get(i));
        }
        return values;
    }

    private static void sayAll(Statement statement) throws Failed {
        List<String> lines = await(Flux.from(statement.execute()).concatMap(R2dbcClient::lines));
        lines.forEach(Client::say);
    }

    private static Publisher<String> lines(Result result) {
        boolean[] first = {true};
        return result.flatMap(segment -> {
            if (segment instanceof Result.Message message) {
                return Mono.error(message.exception());
            }
            if (segment instanceof Result.RowSegment rows) {
                List<String> lines = new ArrayList<>();
                if (first[0]) {
                    first[0] = false;
                    for (ColumnMetadata c : rows.row().getMetadata().getColumnMetadatas()) {
                        lines.add("column " + c.getName() + " " + c.getType() + " " + c.getNullability());
                    }
                }
                lines.add("row " + line(values(rows.row())));
                return Flux.fromIterable(lines);
            }
            return segment instanceof Result.UpdateCount count
                    ? Mono.just("affected " + count.value())
                    : Mono.empty();
        });
    }

    @Override
    void query(String sql) throws Exception {
        sayAll(connection.createStatement(sql));
    }

    private static void bind(Statement statement, List<Object> parameters) {
        for (int i = 0; i < parameters.size(); i++) {
            if (parameters.get(i) == null) {
                statement.bindNull(i, String.class);
            } else {
                statement.bind(i, parameters.get(i));
            }
        }
    }

    @Override
    void prepared(List<Object> parameters, String sql) throws Exception {
        Statement statement = connection.createStatement(sql);
        bind(statement, parameters);
        sayAll(statement);
    }

    @Override
    void many(List<List<Object>> parameters, String sql) throws Exception {
        Statement statement = connection.createStatement(sql);
        for (int i = 0; i < parameters.size(); i++) {
            bind(statement, parameters.get(i));
            if (i < parameters.size() - 1) {
                statement.add();
            }
        }
        sayAll(statement);
    }

    @Override
    void stream(String sql) throws Exception {
        Rows rows = new Rows();
        await(Flux.from(connection.createStatement(sql).execute())
                .concatMap(result -> result.map((row, metadata) -> values(row)))
                .limitRate(100)
                .doOnNext(rows::add));
        rows.say();
    }

    @Override
    void begin() throws Exception {
        await(connection.beginTransaction());
    }

    @Override
    void commit() throws Exception {
        await(connection.commitTransaction());
    }

    @Override
    void rollback() throws Exception {
        await(connection.rollbackTransaction());
    }

    @Override
    void ping() throws Exception {
        say("valid " + await(connection.validate(ValidationDepth.REMOTE)));
    }

    private static void awaitList(Connection other, String condition, boolean wanted) throws Exception {
        String sql = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND " + condition;
        while (number(other, sql) > 0 != wanted) {
            Thread.sleep(10);
        }
    }

    @Override
    void killquery(String sql) throws Exception {
        long id = connectionId();
        CompletableFuture<Long> running = Flux.from(connection.createStatement(sql).execute())
                .concatMap(R2dbcClient::lines)
                .count()
                .toFuture();
        Connection other = await(factory.create()).get(0);
        // not by its id: through the proxy others may run it
        awaitList(other, "INFO LIKE '%a.seconds%b.n%c.n%'", true);
        await(Flux.from(other.createStatement("KILL QUERY " + id).execute()).concatMap(R2dbcClient::lines));
        await(other.close());
        await(Mono.fromFuture(running));
    }

    @Override
    void killThis() throws Exception {
        long id = connectionId();
        Connection other = await(factory.create()).get(0);
        await(Flux.from(other.createStatement("KILL " + id).execute()).concatMap(R2dbcClient::lines));
        awaitList(other, "ID = " + id, false);
        await(other.close());
    }
}
