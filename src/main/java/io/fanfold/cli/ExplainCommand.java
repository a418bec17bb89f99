package io.fanfold.cli;

import io.fanfold.client.ServerException;
import io.fanfold.config.ConfigLoader;
import io.fanfold.inspect.Finding;
import io.fanfold.observe.ExplainClient;
import io.fanfold.observe.Explanation;
import io.fanfold.observe.LocalProxy;
import io.fanfold.server.ProxyFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fanfold explain STATEMENT}: shows how a proxy would split a statement, or why not, without a running proxy. */
@Command(
        name = "explain",
        description = {
            "Show how Fanfold splits a statement, or why it does not, as EXPLAIN FORMAT=FANFOLD does.",
            "Fanfold reads plans and definitions at the server. It does not run the statement."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the statement is explained, split or not",
            "1:the server cannot be reached, or refuses an account or the statement",
            "2:wrong usage, or a mistake in the settings"
        },
        footerHeading = "%nExample:%n",
        footer = {
            "  ./fanfold explain --backend db.example:3306 --worker-user fanfold --database shop \\",
            "      'SELECT status, COUNT(*) FROM orders GROUP BY status'",
            "",
            Main.DOCUMENTATION
        })
final class ExplainCommand implements Callable<Integer> {
    private final ConfigLoader loader;
    private final ProxyFactory proxies;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerAccess server = new ServerAccess();

    @Option(names = "--database", paramLabel = "NAME", description = "the schema of the session (default: none)")
    private @Nullable String database;

    @Parameters(
            paramLabel = "STATEMENT",
            arity = "0..1",
            description = "the statement; without it, or with -, it is read from standard input")
    private String statement = "-";

    ExplainCommand(ConfigLoader loader, ProxyFactory proxies) {
        this.loader = loader;
        this.proxies = proxies;
    }

    @Override
    public Integer call() throws IOException {
        ServerAccess.Access access = server.access(spec, loader);
        int longest = access.config().limits().statementBytes();
        String sql = statement.equals("-") ? read(System.in, longest) : statement;
        if (sql.isBlank()) {
            throw new ParameterException(spec.commandLine(), "the statement is empty");
        }
        try (LogOutput.Quiet quiet = LogOutput.ofProcess().quiet();
                LocalProxy proxy = LocalProxy.start(proxies, access.config())) {
            print(explain(proxy, access, sql), proxy);
        }
        return 0;
    }

    private Explanation explain(LocalProxy proxy, ServerAccess.Access access, String sql) throws IOException {
        try (ExplainClient client = proxy.login(access.client())) {
            if (database != null) {
                client.use(database);
            }
            return client.explain(sql);
        } catch (ServerException e) {
            throw new IOException(
                    e.errno() == 0
                            ? e.getMessage()
                            : "error " + e.errno() + " (" + e.sqlState() + "): " + e.getMessage(),
                    e);
        }
    }

    private void print(Explanation explanation, LocalProxy proxy) {
        PrintWriter out = spec.commandLine().getOut();
        out.print(new StepTable(Terminal.columns()).render(explanation.steps()));
        if (!explanation.split()) {
            proxy.inspection().of(Finding.Severity.BLOCKS).forEach(finding -> out.println(FindingText.of(finding)));
        }
        out.flush();
    }

    private static String read(InputStream in, int limit) throws IOException {
        byte[] bytes = in.readNBytes(limit + 1);
        if (bytes.length > limit) {
            throw new IOException("the statement is longer than limits.statement-size, " + limit + " bytes");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
