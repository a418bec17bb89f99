import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactories;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.mysqlclient.MySQLConnectOptions;
import io.vertx.mysqlclient.MySQLConnection;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The drivers in their default settings: Defaults DRIVER DATABASE LOGIN..., DRIVER is vertx, r2dbc-mysql or r2dbc-mariadb, LOGIN is
 * USER:PASSWORD:HOST:PORT. One line of output for each login: the answer of a SELECT and the server's word for TLS, or the error.
 */
public final class Defaults {
    private static final String SELECT = "SELECT 6 * 7";
    private static final String TLS = "SHOW SESSION STATUS LIKE 'Ssl_version'";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Defaults() {}

    /** What follows the scheme of an URL. */
    private static String location(String login, String database) {
        String[] parts = login.split(":");
        String secret = parts[1].isEmpty() ? "" : ":" + parts[1];
        return parts[0] + secret + "@" + parts[2] + ":" + parts[3] + "/" + database;
    }

    private static <T> T await(Future<T> future) throws Exception {
        try {
            return future.toCompletionStage().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw (Exception) e.getCause();
        }
    }

    private static String vertx(Vertx vertx, String location) throws Exception {
        MySQLConnection connection =
                await(MySQLConnection.connect(vertx, MySQLConnectOptions.fromUri("mysql://" + location)));
        String answer = String.valueOf(await(connection.query(SELECT).execute()).iterator().next().getValue(0));
        String tls = await(connection.query(TLS).execute()).iterator().next().getString(1);
        await(connection.close());
        return answer + " " + tls;
    }

    private static String value(Connection connection, String sql, int column) {
        return Flux.from(connection.createStatement(sql).execute())
                .concatMap(result -> result.map((row, metadata) -> String.valueOf(row.get(column))))
                .blockLast(PATIENCE);
    }

    private static String r2dbc(String driver, String location) {
        Publisher<? extends Connection> opening =
                ConnectionFactories.get("r2dbc:" + driver.substring("r2dbc-".length()) + "://" + location).create();
        Connection connection = Mono.from(opening).block(PATIENCE);
        String line = value(connection, SELECT, 0) + " " + value(connection, TLS, 1);
        Mono.from(connection.close()).block(PATIENCE);
        return line;
    }

    public static void main(String[] args) {
        Vertx vertx = args[0].equals("vertx") ? Vertx.vertx() : null;
        for (String login : Arrays.asList(args).subList(2, args.length)) {
            String location = location(login, args[1]);
            try {
                System.out.println(vertx == null ? r2dbc(args[0], location) : vertx(vertx, location));
            } catch (Exception e) {
                String text = String.valueOf(e.getMessage()).replaceAll("\\s+", " ");
                System.out.println("error " + e.getClass().getSimpleName() + " " + text);
            }
        }
        System.exit(0); // event loops are left
    }
}
