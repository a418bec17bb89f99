package io.fanfold.inspect;

import io.fanfold.binlog.ChangeStream;
import io.fanfold.catalog.AccountName;
import io.fanfold.catalog.CatalogLoader;
import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.TableSettings;
import io.fanfold.catalog.UnmatchedTables;
import io.fanfold.client.ConnectFailure;
import io.fanfold.client.ServerException;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.WireConnection;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.inspect.Inspection.Table;
import io.fanfold.pool.Lease;
import io.fanfold.pool.WorkerPool;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Inspects the server as the worker account sees it, and the settings. A proxy reports the findings when it starts, and
 * so does {@code check-config --connect}. Thread-safe.
 */
public final class Inspector {
    private static final List<String> NUMBERS = List.of("max_connections", "wait_timeout");

    private final Supplier<FanfoldConfig> settings;
    private final WorkerPool workers;

    /** @param settings those that hold now */
    public Inspector(Supplier<FanfoldConfig> settings, WorkerPool workers) {
        this.settings = settings;
        this.workers = workers;
    }

    /** Returns the findings about the settings alone, without a server. */
    public static Inspection ofSettings(FanfoldConfig config) {
        List<Finding> findings = new ArrayList<>(SettingsFindings.switchedOff(config));
        findings.add(SettingsFindings.memory(config.limits()));
        findings.addAll(SettingsFindings.contradictions(config));
        return Inspection.of(findings);
    }

    /** Returns the findings if no worker connection can be opened. */
    public Inspection unreachable(ConnectFailure failure) {
        FanfoldConfig config = settings.get();
        return Inspection.of(List.of(ConnectFindings.of(failure, config.backend(), config.workers())));
    }

    /**
     * Connects, reads the catalog and inspects the server. If any table or account has reuse, also reads the beginning of
     * the binary log. If there are replicas, also looks whether they can be read.
     *
     * @throws IOException if a connection fails meanwhile
     */
    public Inspection connect() throws IOException, InterruptedException {
        workers.tryOnce();
        List<Lease> leases = workers.acquire(1, 1, settings.get().workers().queueWait());
        if (leases.isEmpty()) {
            return unreachable(workers.failure().orElse(new ConnectFailure(0, "no connection was opened in time")));
        }
        CatalogSnapshot catalog = CatalogLoader.NOTHING;
        try (Lease lease = leases.get(0)) {
            WireConnection connection = lease.connection();
            ServerFacts facts = lease.facts();
            if (facts.obstacle().isEmpty()) {
                catalog = CatalogLoader.load(
                        sql -> rows(connection, sql),
                        facts.flavor(),
                        settings.get().leastRowsOfKeyRanges());
            }
        }
        Inspection inspection =
                look(catalog).orElseThrow(() -> new IOException("no two worker connections could be opened"));
        if (!inspection.reached()) {
            return inspection;
        }
        return inspection
                .with(settings.get().reuses() ? List.of(reuse()) : List.of())
                .with(replicas());
    }

    private List<Finding> replicas() throws IOException, InterruptedException {
        if (settings.get().workers().servers().isEmpty()) {
            return List.of();
        }
        List<Lease> leases = workers.acquire(1, 1, settings.get().workers().queueWait());
        if (leases.isEmpty()) {
            return List.of();
        }
        try (Lease lease = leases.get(0)) {
            return new ReplicaFindings(settings.get(), workers.login()).of(lease.connection(), lease.facts());
        } catch (ServerException e) {
            throw new IOException(e.errno() + " " + e.getMessage(), e);
        }
    }

    /** A running proxy logs what its stream of changes finds. */
    private Finding reuse() {
        try {
            ChangeStream.check(workers.login());
            return Finding.info("reuse: the worker account can read the binary log");
        } catch (IOException | ServerException e) {
            return Finding.advice("reuse has no effect, because the binary log cannot be used: " + e.getMessage());
        }
    }

    /**
     * Inspects the server. Takes two worker connections for some milliseconds.
     *
     * @param catalog just read
     * @return empty if no two connections were free
     * @throws IOException if a connection fails meanwhile
     */
    public Optional<Inspection> look(CatalogSnapshot catalog) throws IOException, InterruptedException {
        List<Lease> leases = workers.acquire(2, 2, settings.get().workers().queueWait());
        if (leases.isEmpty()) {
            return workers.failure().map(this::unreachable);
        }
        try {
            return Optional.of(look(leases, catalog));
        } catch (ServerException e) {
            throw new IOException(e.errno() + " " + e.getMessage(), e);
        } finally {
            Lease.closeAll(leases);
        }
    }

    private Inspection look(List<Lease> leases, CatalogSnapshot catalog)
            throws IOException, ServerException, InterruptedException {
        FanfoldConfig config = settings.get();
        ServerFacts facts = leases.get(0).facts();
        if (!facts.obstacle().isEmpty()) {
            // an unknown server may not understand further questions
            return new Inspection(List.of(Finding.blocks(facts.obstacle(), List.of())), List.of());
        }
        WireConnection connection = leases.get(0).connection();
        AccountName account = AccountName.of(String.valueOf(single(connection, "SELECT CURRENT_USER()")));
        Grants grants = Grants.read(rows(connection, "SHOW GRANTS").stream()
                .map(row -> String.valueOf(row.utf8(0)))
                .toList());
        Map<String, String> variables = variables(connection, facts);
        TableSettings ofTables =
                new TableSettings(config.fanOut(), config.tables(), Optional.empty(), catalog.caseSensitive());
        TableFindings tableFindings = new TableFindings(ofTables, config.accounts(), account, grants);
        List<Table> tables = tableFindings.read(connection, catalog);
        List<Table> splittable = tables.stream().filter(Table::splittable).toList();

        List<Finding> findings = new ArrayList<>(SettingsFindings.switchedOff(config));
        findings.add(ServerFindings.version(facts.identity(), config.backend()));
        findings.addAll(tableFindings.findings(tables));
        for (UnmatchedTables.Mistaken key :
                UnmatchedTables.read(sql -> rows(connection, sql), config.tables(), catalog)) {
            findings.add(Finding.advice(key.sentence()));
        }
        if (!splittable.isEmpty()) {
            boolean gtids = "ON".equals(variables.get("gtid_mode"));
            findings.addAll(new ProofFindings(config.fanOut().snapshots(), account, grants, gtids)
                    .of(facts, new ProofTrial(workers, ofTables).run(leases, splittable)));
        }
        findings.addAll(ServerFindings.packets(facts.maxPacket()));
        findings.add(ServerFindings.tls(config, variables.getOrDefault("ssl_version", "")));
        findings.addAll(ServerFindings.connections(config, account, variables));
        findings.add(SettingsFindings.memory(config.limits()));
        findings.addAll(SettingsFindings.contradictions(config));
        return new Inspection(findings, tables);
    }

    /** Reads variables of the server and of this connection, by lower-case names. */
    private static Map<String, String> variables(WireConnection connection, ServerFacts facts) throws IOException {
        List<String> statements = new ArrayList<>();
        NUMBERS.forEach(name -> statements.add("SHOW SESSION VARIABLES LIKE '" + name + "'"));
        statements.add("SHOW GLOBAL STATUS LIKE 'Threads_connected'");
        statements.add("SHOW SESSION STATUS LIKE 'Ssl_version'");
        if (facts.flavor().isMySql()) {
            statements.add("SHOW GLOBAL VARIABLES LIKE 'gtid_mode'");
        }
        Map<String, String> variables = new HashMap<>();
        for (Reply reply : connection.pipeline(statements)) {
            if (reply instanceof Reply.Result result) {
                result.rows()
                        .forEach(row -> variables.put(
                                String.valueOf(row.utf8(0)).toLowerCase(Locale.ROOT), String.valueOf(row.utf8(1))));
            }
        }
        return variables;
    }

    private static String single(WireConnection connection, String sql) throws IOException {
        List<Row> rows = rows(connection, sql);
        if (rows.size() != 1) {
            throw new IOException("a row was expected from " + sql + ", " + rows.size() + " came");
        }
        return String.valueOf(rows.get(0).utf8(0));
    }

    private static List<Row> rows(WireConnection connection, String sql) throws IOException {
        try {
            return connection.query(sql).rows();
        } catch (ServerException e) {
            throw new IOException(e.errno() + " " + e.getMessage(), e);
        }
    }
}
