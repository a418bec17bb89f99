package io.fanfold.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All settings by their names in the settings file, such as {@code fan-out.degree}, with their values in the file's
 * notation. Automatic values are numbers here. Settings of single tables and passwords are not among them. For one
 * thread.
 */
public final class SettingsList {
    private final Map<String, String> values = new LinkedHashMap<>();

    private SettingsList() {}

    /** Returns the settings in the order of config/fanfold.yaml. A path that is not set is "". */
    public static Map<String, String> of(FanfoldConfig config) {
        return of(config, false);
    }

    /**
     * Returns the same list with the entries of single tables and accounts, such as {@code tables.shop.orders} with the
     * value {@code {mode: off, degree: 4}}.
     */
    static Map<String, String> withEntries(FanfoldConfig config) {
        return of(config, true);
    }

    private static Map<String, String> of(FanfoldConfig config, boolean entries) {
        SettingsList list = new SettingsList();
        list.listener(config.listener());
        list.backend(config.backend());
        list.workers(config.workers());
        list.replicas(config.fanOut().replicas());
        list.fanOut(config.fanOut());
        if (entries) {
            list.tables(config.tables());
            list.accounts(config.accounts());
        }
        list.limits(config.limits());
        list.put("verify.share", Quantity.share(config.fanOut().verifyShare()));
        list.put("verify.connections", config.verify().connections());
        list.put("verify.time", config.verify().time());
        list.put("verify.directory", config.verify().directory());
        list.put("verify.literals", config.verify().literals());
        list.put("http.enabled", config.http().enabled());
        list.put("http.host", config.http().host());
        list.put("http.port", config.http().port());
        list.put("http.tls.certificate", config.http().tls().certificate());
        list.put("http.tls.key", config.http().tls().key());
        list.put("http.tls.client-ca", config.http().tls().clientCa());
        list.put("log.level", config.log().level());
        list.put("log.format", config.log().format());
        list.put("log.slow", config.log().slow());
        return list.values;
    }

    private void listener(ListenerConfig listener) {
        put("listener.host", listener.host());
        put("listener.port", listener.port());
        put("listener.backlog", listener.backlog());
        put("listener.keep-alive", listener.keepAlive());
        put(
                "listener.proxy-protocol-networks",
                listener.proxyNetworks().stream().map(Network::toString).collect(Collectors.joining(", ", "[", "]")));
        put("listener.socket", listener.socket());
        put("listener.reuse-port", listener.reusePort());
        ListenerTlsConfig tls = listener.tls();
        put("listener.tls.mode", tls.mode());
        put("listener.tls.certificate", tls.certificate());
        put("listener.tls.key", tls.key());
        put("listener.tls.client-ca", tls.clientCa());
        put("listener.tls.require-client-certificate", tls.requireClientCertificate());
        put("listener.tls.directory", tls.directory());
        put("listener.compression", listener.compression());
    }

    private void backend(BackendConfig backend) {
        put("backend.host", backend.host());
        put("backend.port", backend.port());
        put("backend.hosts", backend.hosts().toString());
        put("backend.connect-timeout", backend.connectTimeout());
        put("backend.keep-alive", backend.keepAlive());
        put("backend.proxy-protocol", backend.proxyProtocol());
        BackendTlsConfig tls = backend.tls();
        put("backend.tls.mode", tls.mode());
        put("backend.tls.clear-clients", tls.clearClients());
        put("backend.tls.verify", tls.verify());
        put("backend.tls.ca", tls.ca());
        put("backend.tls.certificate", tls.certificate());
        put("backend.tls.key", tls.key());
        put("backend.tls.show-certificate", tls.showCertificate());
        put("backend.compression", backend.compression());
    }

    private void workers(WorkersConfig workers) {
        put("workers.user", workers.user());
        put("workers.connections", workers.connections());
        put("workers.connections-per-user", workers.connectionsPerUser());
        put("workers.queue-length", workers.queueLength());
        put("workers.queue-wait", workers.queueWait());
        put("workers.idle-timeout", workers.idleTimeout());
        put("workers.max-lifetime", workers.maxLifetime());
        put("workers.servers", workers.servers().toString());
    }

    private void replicas(ReplicaReads replicas) {
        put("workers.read-from", replicas.from());
        put("workers.replica-wait", replicas.patience());
        put("workers.staleness", replicas.staleness());
        put("workers.servers-per-fan-out", replicas.servers());
    }

    private void fanOut(FanOutConfig fanOut) {
        put("fan-out.mode", fanOut.mode());
        put("fan-out.degree", fanOut.degreeText());
        put("fan-out.min-rows", fanOut.minRows());
        put("fan-out.consistency", fanOut.snapshots().consistency());
        put("fan-out.snapshot-rounds", fanOut.snapshots().rounds());
        put("fan-out.snapshot-time", fanOut.snapshots().time());
        put("fan-out.table-locks", fanOut.snapshots().tableLocks());
        put("fan-out.lock-wait", fanOut.snapshots().lockWait());
        put("fan-out.split-plain-count", fanOut.splitPlainCount());
        put("fan-out.key-ranges", fanOut.keyRanges());
        put("fan-out.approximate", fanOut.approximate());
        put("fan-out.dynamic-filters", fanOut.filters().dynamic());
        put("fan-out.filter-keys", fanOut.filters().keys());
        put("fan-out.reuse", fanOut.reuse().mode());
        put("fan-out.reuse-wait", fanOut.reuse().patience());
        put("fan-out.transactions", fanOut.transactions().splits());
        put("fan-out.transaction-idle", fanOut.transactions().idle());
        put("fan-out.catalog-refresh", fanOut.catalogRefresh());
    }

    private void tables(TablesConfig tables) {
        for (TableEntry entry : tables.entries()) {
            SettingsList own = new SettingsList();
            own.put("mode", entry.mode());
            own.put("degree", entry.degree());
            own.put("min-rows", entry.minRows());
            own.put("consistency", entry.consistency());
            own.put("table-locks", entry.tableLocks());
            own.put("key-ranges", entry.keyRanges());
            own.put("approximate", entry.approximate());
            own.put("dynamic-filters", entry.dynamicFilters());
            own.put("reuse", entry.reuse());
            own.put("read-from", entry.readFrom());
            Double share = entry.verifyShare();
            if (share != null) {
                own.put("verify-share", Quantity.share(share));
            }
            put("tables." + entry.name().text(), own);
        }
    }

    private void accounts(AccountsConfig accounts) {
        for (AccountsConfig.AccountEntry entry : accounts.entries()) {
            SettingsList own = new SettingsList();
            own.put("mode", entry.mode());
            own.put("reuse", entry.reuse());
            own.put("read-from", entry.readFrom());
            put("accounts." + entry.user().text(), own);
        }
    }

    private void limits(LimitsConfig limits) {
        size("limits.statement-size", limits.statementBytes());
        size("limits.query-memory", limits.queryMemoryBytes());
        size("limits.total-memory", limits.totalMemoryBytes());
        size("limits.reuse-memory", limits.reuseMemoryBytes());
        size("limits.held-answer", limits.heldAnswerBytes());
        put("limits.final-query-rows", limits.finalQueryRows());
        put("limits.connections", limits.connections());
        put("limits.slow-client", limits.slowClient());
        put("limits.handshake-timeout", limits.handshakeTimeout());
        put("limits.drain-time", limits.drainTime());
    }

    private void size(String name, long bytes) {
        values.put(name, Quantity.text(bytes));
    }

    private void put(String name, SettingsList group) {
        values.put(
                name,
                group.values.entrySet().stream()
                        .map(setting -> setting.getKey() + ": " + setting.getValue())
                        .collect(Collectors.joining(", ", "{", "}")));
    }

    private void put(String name, @Nullable Path path) {
        values.put(name, path == null ? "" : path.toString());
    }

    private void put(String name, Duration duration) {
        values.put(name, Quantity.text(duration));
    }

    private void put(String name, @Nullable Enum<?> choice) {
        if (choice != null) {
            values.put(name, choice.name().toLowerCase(Locale.ROOT));
        }
    }

    private void put(String name, @Nullable Number number) {
        if (number != null) {
            values.put(name, number.toString());
        }
    }

    private void put(String name, String text) {
        values.put(name, text);
    }

    private void put(String name, boolean flag) {
        values.put(name, String.valueOf(flag));
    }
}
