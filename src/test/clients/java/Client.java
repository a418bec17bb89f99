import io.vertx.core.json.JsonArray;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/** Client DRIVER SCENARIO HOST PORT USER PASSWORD DATABASE [tls], DRIVER is vertx, r2dbc-mysql or r2dbc-mariadb. */
public abstract class Client {
    private static final Pattern STEP = Pattern.compile("(\\w+)!?(?:/\\d+)? ?(.*)");
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    /** Where to connect. */
    record Target(String host, int port, String user, String password, String database, boolean tls) {}

    /** An error of the server, as the driver tells it. */
    static final class Failed extends Exception {
        private static final long serialVersionUID = 1;

        Failed(String observed) {
            super(observed);
        }
    }

    /** The driver has nothing for this verb. */
    static final class Skipped extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    abstract void connect() throws Exception;

    abstract void close() throws Exception;

    abstract long connectionId() throws Exception;

    abstract void query(String sql) throws Exception;

    abstract void prepared(List<Object> parameters, String sql) throws Exception;

    abstract void many(List<List<Object>> parameters, String sql) throws Exception;

    abstract void stream(String sql) throws Exception;

    abstract void ping() throws Exception;

    /** Runs a statement that another connection kills as soon as it is seen. */
    abstract void killquery(String sql) throws Exception;

    /** Has another connection kill this one, and returns when it is gone. */
    abstract void killThis() throws Exception;

    void begin() throws Exception {
        query("START TRANSACTION");
    }

    void commit() throws Exception {
        query("COMMIT");
    }

    void rollback() throws Exception {
        query("ROLLBACK");
    }

    void reset() throws Exception {
        throw new Skipped();
    }

    void multi(String sql) throws Exception {
        query(sql);
    }

    static void say(String line) {
        OUT.println(line);
    }

    static String shown(Object value) {
        if (value instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            return shown(bytes);
        }
        if (value instanceof byte[] bytes) {
            return "bytes of " + bytes.length + " " + checksum(bytes);
        }
        if (value instanceof String text) {
            return text.length() > 200
                    ? "String of " + text.length() + " " + checksum(text.getBytes(StandardCharsets.UTF_8))
                    : '"' + text + '"';
        }
        if (value instanceof Object[] values) {
            return Arrays.stream(values).map(Client::shown).toList().toString();
        }
        return value == null ? "null" : value.getClass().getSimpleName() + " " + value;
    }

    static String line(List<Object> row) {
        return String.join(" | ", row.stream().map(Client::shown).toList());
    }

    private static long checksum(byte[] bytes) {
        CRC32 sum = new CRC32();
        sum.update(bytes);
        return sum.getValue();
    }

    /** Of many rows, of which only the first are shown. */
    static final class Rows {
        private final CRC32 sum = new CRC32();
        private int rows;

        void add(List<Object> row) {
            String line = line(row);
            if (rows++ < 2) {
                Client.say("row " + line);
            }
            sum.update(line.getBytes(StandardCharsets.UTF_8));
        }

        void say() {
            Client.say("rows " + rows + " checksum " + sum.getValue());
        }
    }

    private void value(int length) throws Exception {
        int[] characters = "0123456789\u00e9\ud83d\ude00".codePoints().toArray();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.appendCodePoint(characters[i % characters.length]);
        }
        prepared(List.of(length, text.toString()), "INSERT INTO made (id, body) VALUES (?, ?)");
        prepared(List.of(length), "SELECT body FROM made WHERE id = ?");
        query("SELECT body FROM made WHERE id = " + length);
    }

    private void call(String name) throws Exception {
        if (name.equals("takes_and_gives")) {
            query("SET @b = 2");
            query("CALL takes_and_gives(40, @b, @c)");
            query("SELECT @b, @c");
        } else {
            query("CALL " + name + "()");
        }
    }

    private void reconnect() throws Exception {
        close();
        connect();
    }

    private void kill() throws Exception {
        killThis();
        try {
            query("SELECT 'nobody is there'");
        } catch (Failed e) {
            say("lost " + e.getMessage());
        }
        connect();
    }

    private static List<Object> parameters(JsonArray json) {
        List<Object> values = new ArrayList<>();
        json.forEach(value -> values.add(value instanceof JsonArray inner ? parameters(inner) : value));
        return values;
    }

    @SuppressWarnings("unchecked")
    private void step(String verb, List<Object> parameters, String rest) throws Exception {
        switch (verb) {
            case "hello" -> {
                say("id " + (connectionId() > 0));
                query("SELECT VERSION(), DATABASE()");
            }
            case "query" -> query(rest);
            case "args", "prepared" -> prepared(parameters, rest);
            case "many" -> many((List<List<Object>>) (List<?>) parameters, rest);
            case "stream" -> stream(rest);
            case "multi" -> multi(rest);
            case "call" -> call(rest);
            case "begin" -> begin();
            case "commit" -> commit();
            case "rollback" -> rollback();
            case "use" -> query("USE " + rest);
            case "value" -> value(Integer.parseInt(rest));
            case "ping" -> ping();
            case "reset" -> reset();
            case "reconnect" -> reconnect();
            case "killquery" -> killquery(rest);
            case "kill" -> kill();
            default -> throw new IllegalArgumentException(verb);
        }
    }

    private void run(String scenario, String database) throws Exception {
        connect();
        for (String raw : Files.readAllLines(Path.of(scenario))) {
            String line = raw.strip().replace("{db}", database);
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            Matcher match = STEP.matcher(line);
            if (!match.matches()) {
                throw new IllegalArgumentException(line);
            }
            String rest = match.group(2);
            List<Object> parameters = List.of();
            if (List.of("args", "prepared", "many").contains(match.group(1))) {
                int at = rest.indexOf(" | ");
                parameters = parameters(new JsonArray(rest.substring(0, at)));
                rest = rest.substring(at + 3);
            }
            say("> " + line);
            try {
                step(match.group(1), parameters, rest);
            } catch (Skipped e) {
                say("skipped");
            } catch (Failed e) {
                say("error " + e.getMessage());
            }
        }
        close();
    }

    public static void main(String[] args) throws Exception {
        Target target = new Target(
                args[2], Integer.parseInt(args[3]), args[4], args[5], args[6],
                Arrays.asList(args).subList(7, args.length).contains("tls"));
        Client client = args[0].equals("vertx") ? new VertxClient(target) : new R2dbcClient(args[0], target);
        client.run(args[1], target.database());
        System.exit(0); // event loops are left
    }
}
