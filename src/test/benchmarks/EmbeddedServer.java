import io.fanfold.demo.EmbeddedMariaDb;
import io.fanfold.demo.ServerBinaries;
import io.fanfold.demo.Steps;
import io.fanfold.demo.UserAccount;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The demo's MariaDB with TLS, until its standard input ends. For relay.sh: EmbeddedServer.java JAR FOLDER PASSWORD. */
final class EmbeddedServer {
    private EmbeddedServer() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path folder = Path.of(arguments[1]);
        EmbeddedMariaDb.Options options = new EmbeddedMariaDb.Options(
                ServerBinaries.unpack(
                        Path.of(arguments[0]),
                        Path.of(System.getProperty("user.home"), ".cache", "fanfold", "servers"),
                        Steps.onStandardError()),
                folder.resolve("data"),
                0,
                List.of(UserAccount.administrator("root", arguments[2])),
                List.of(
                        "--log-bin=binlog",
                        "--innodb-buffer-pool-size=256M",
                        "--ssl-ca=" + folder.resolve("cacert.pem"),
                        "--ssl-cert=" + folder.resolve("server-cert.pem"),
                        "--ssl-key=" + folder.resolve("server-key.pem")));
        try (EmbeddedMariaDb server = EmbeddedMariaDb.start(options)) {
            System.out.println("port " + server.port());
            while (System.in.read() >= 0) {
                // whoever started it says nothing
            }
        }
    }
}
