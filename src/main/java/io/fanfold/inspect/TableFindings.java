package io.fanfold.inspect;

import io.fanfold.catalog.AccountName;
import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.CatalogTable;
import io.fanfold.catalog.CreateTable;
import io.fanfold.catalog.CreateTableFacts;
import io.fanfold.catalog.KeyColumn;
import io.fanfold.catalog.TableName;
import io.fanfold.catalog.TableSettings;
import io.fanfold.client.WireConnection;
import io.fanfold.config.AccountsConfig;
import io.fanfold.config.AccountsConfig.AccountEntry;
import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FanOutConfig.Mode;
import io.fanfold.config.SnapshotConfig.TableLocks;
import io.fanfold.inspect.Inspection.Table;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The findings about the partitioned tables that the worker account sees, and which of them are never split. */
final class TableFindings {
    /** The most tables whose definitions are read. Further tables are examined only when a statement reads them. */
    private static final int MOST_READ = 500;

    /** The most tables that are named in one line. */
    private static final int MOST_NAMED = 5;

    /** The most tables that are read without rows, to see whether the account may read them. */
    private static final int MOST_TRIED = 20;

    /** ER_DBACCESS_DENIED_ERROR, ER_TABLEACCESS_DENIED_ERROR, ER_COLUMNACCESS_DENIED_ERROR. */
    private static final Set<Integer> DENIED = Set.of(1044, 1142, 1143);

    private static final String NO_SELECT = "no SELECT right";

    private static final String SWITCHED_OFF = "switched off";

    private static final String ENGINE = "engine ";

    private static final String SPIDER = "Spider, and fan-out.table-locks is not allow";

    private static final String ONE_PARTITION = "one partition";

    private static final String NO_KEY = "not partitioned, and no key of numbers or dates";

    private final TableSettings settings;
    private final AccountsConfig accounts;
    private final AccountName account;
    private final Grants grants;

    /**
     * @param settings for clients whose account has no entry
     * @param accounts the entries of other clients' accounts
     * @param account the worker account
     * @param grants of the worker account
     */
    TableFindings(TableSettings settings, AccountsConfig accounts, AccountName account, Grants grants) {
        this.settings = settings;
        this.accounts = accounts;
        this.account = account;
        this.grants = grants;
    }

    /** Reads the definitions of the catalog's tables. Does not wait for clients' row locks. */
    List<Table> read(WireConnection connection, CatalogSnapshot catalog) throws IOException {
        List<CatalogTable> known = List.copyOf(catalog.tables());
        List<CatalogTable> looked = known.subList(0, Math.min(MOST_READ, known.size()));
        List<Reply> replies = connection.pipeline(looked.stream()
                .map(table -> "SHOW CREATE TABLE " + table.name().quoted())
                .toList());
        Set<TableName> denied = denied(connection, looked);
        List<Table> tables = new ArrayList<>();
        for (int i = 0; i < known.size(); i++) {
            CatalogTable table = known.get(i);
            String obstacle = "";
            if (denied.contains(table.name())) {
                obstacle = NO_SELECT;
            } else if (offForAll(table.name())) {
                obstacle = switchedOff(table.name());
            } else if (i < replies.size()) {
                obstacle = obstacle(table, replies.get(i));
            }
            tables.add(new Table(
                    table.name(),
                    table.partitioned() ? table.partitions().size() : 0,
                    table.estimatedRows(),
                    settings(table.name()),
                    obstacle));
        }
        return tables;
    }

    /**
     * Returns the tables that the account must not read. SHOW GRANTS may omit privileges of roles, such as MariaDB's
     * PUBLIC. So the first tables without a listed privilege are tried.
     */
    private Set<TableName> denied(WireConnection connection, List<CatalogTable> tables) throws IOException {
        List<TableName> doubtful = tables.stream()
                .map(CatalogTable::name)
                .filter(name -> !grants.allows("SELECT", name))
                .limit(MOST_TRIED)
                .toList();
        if (doubtful.isEmpty()) {
            return Set.of();
        }
        List<String> statements = new ArrayList<>();
        // a client's LOCK TABLES ... WRITE would block the query; fan-outs on this connection must not wait longer
        // either
        statements.add("SET SESSION lock_wait_timeout = 1");
        doubtful.forEach(name -> statements.add("SELECT 1 FROM " + name.quoted() + " LIMIT 0"));
        List<Reply> replies = connection.pipeline(statements);
        Set<TableName> denied = new HashSet<>();
        for (int i = 0; i < doubtful.size(); i++) {
            if (replies.get(i + 1) instanceof Reply.Failed failed && DENIED.contains(failed.errno())) {
                denied.add(doubtful.get(i));
            }
        }
        return denied;
    }

    private boolean offForAll(TableName table) {
        return settings.of(table).mode() == Mode.OFF
                && accounts.entries().stream().allMatch(entry -> mode(table, entry) == Mode.OFF);
    }

    /** The mode of a table for the clients of one entry. */
    private Mode mode(TableName table, AccountEntry entry) {
        return new TableSettings(settings.fanOut(), settings.tables(), Optional.of(entry), settings.caseSensitive())
                .of(table)
                .mode();
    }

    /** The mode of a table, and the accounts for which Fanfold does more; "" if it is on, or off for all. */
    private String modes(TableName table) {
        Mode mode = settings.of(table).mode();
        if (mode == Mode.ON || offForAll(table)) {
            return "";
        }
        return ", mode " + lower(mode)
                + accounts.entries().stream()
                        .filter(entry -> mode(table, entry).compareTo(mode) > 0)
                        .limit(MOST_NAMED)
                        .map(entry -> ", accounts." + entry.user().text() + " " + lower(mode(table, entry)))
                        .collect(Collectors.joining());
    }

    private String switchedOff(TableName table) {
        return settings.entry(table)
                .filter(entry -> entry.mode() == Mode.OFF)
                .map(entry -> SWITCHED_OFF + " by tables." + entry.name().text())
                .orElse(SWITCHED_OFF + " by fan-out.mode");
    }

    /** The settings that apply to a table. */
    private String settings(TableName table) {
        FanOutConfig own = settings.of(table);
        StringBuilder text =
                new StringBuilder("degree " + own.degreeText() + ", min-rows " + own.minRows() + modes(table));
        settings.entry(table).ifPresent(entry -> {
            if (entry.consistency() != null) {
                text.append(", consistency ").append(lower(entry.consistency()));
            }
            if (entry.tableLocks() != null) {
                text.append(", table-locks ").append(lower(entry.tableLocks()));
            }
            if (entry.approximate() != null) {
                text.append(", approximate ").append(lower(entry.approximate()));
            }
            text.append(" (tables.").append(entry.name().text()).append(')');
        });
        return text.toString();
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private String obstacle(CatalogTable table, Reply reply) {
        if (reply instanceof Reply.Failed failed) {
            return DENIED.contains(failed.errno()) ? NO_SELECT : "error " + failed.errno();
        }
        String text = reply instanceof Reply.Result result && result.rows().size() == 1
                ? result.rows().get(0).utf8(1)
                : null;
        if (text == null) {
            return "its definition cannot be read";
        }
        CreateTableFacts facts = CreateTable.read(text);
        if (facts.spiderPartitions()) {
            boolean locks = settings.of(table.name()).snapshots().tableLocks() == TableLocks.ALLOW;
            return !locks ? SPIDER : table.partitions().size() < 2 ? ONE_PARTITION : "";
        }
        if (!facts.innoDb()) {
            return ENGINE + facts.engine().orElse("unknown");
        }
        if (facts.systemVersioned()) {
            return "system-versioned";
        }
        if (!table.partitioned()) {
            return KeyColumn.of(text).isEmpty() ? NO_KEY : "";
        }
        return table.partitions().size() < 2 ? ONE_PARTITION : "";
    }

    List<Finding> findings(List<Table> tables) {
        List<Finding> findings = new ArrayList<>();
        if (tables.isEmpty()) {
            findings.add(none());
            return findings;
        }
        List<Table> unreadable = tables.stream()
                .filter(table -> table.obstacle().equals(NO_SELECT))
                .toList();
        List<Table> obstructed = tables.stream()
                .filter(table -> !table.splittable() && !table.obstacle().equals(NO_SELECT))
                .toList();
        Map<String, Long> bySchema = tables.stream()
                .filter(table -> !table.obstacle().equals(NO_SELECT))
                .collect(Collectors.groupingBy(
                        table -> table.name().schema(), LinkedHashMap::new, Collectors.counting()));
        findings.add(Finding.info("tables: " + account + " can read "
                + counted(tables.stream()
                        .filter(table -> !unreadable.contains(table))
                        .toList())
                + bySchema.entrySet().stream()
                        .map(entry -> AccountName.name(entry.getKey()) + " " + entry.getValue())
                        .collect(Collectors.joining(", ", ": ", ""))
                + (obstructed.isEmpty()
                        ? ""
                        : "; " + obstructed.size() + " cannot be split: "
                                + named(obstructed, table -> " (" + table.obstacle() + ")"))));
        boolean blocked = tables.stream().noneMatch(Table::splittable);
        if (!unreadable.isEmpty()) {
            List<String> remedies = List.of(unreadable.stream()
                    .limit(MOST_NAMED)
                    .map(table -> account.grant("SELECT", table.name()))
                    .collect(Collectors.joining(" ")));
            findings.add(new Finding(
                    blocked ? Finding.Severity.BLOCKS : Finding.Severity.ADVICE,
                    account + " has no SELECT right on " + counted(unreadable) + ": " + named(unreadable, table -> ""),
                    remedies));
        } else if (blocked) {
            findings.add(Finding.blocks(
                    "none of the partitioned tables can be split: "
                            + named(obstructed, table -> " (" + table.obstacle() + ")"),
                    remedies(obstructed)));
        }
        return findings;
    }

    /** Returns the remedy for the first table of each kind of obstacle. */
    private static List<String> remedies(List<Table> obstructed) {
        List<String> remedies = new ArrayList<>();
        first(obstructed, SWITCHED_OFF).ifPresent(table -> remedies.add("set mode: on for a table in tables"));
        first(obstructed, SPIDER)
                .ifPresent(table ->
                        remedies.add("GRANT LOCK TABLES to the worker account, and set fan-out.table-locks: allow"));
        first(obstructed, ENGINE).ifPresent(table -> remedies.add(TableRemedies.engine(table)));
        first(obstructed, ONE_PARTITION).ifPresent(table -> remedies.add(TableRemedies.partition(table)));
        return remedies;
    }

    private static Optional<TableName> first(List<Table> tables, String obstacle) {
        return tables.stream()
                .filter(table -> table.obstacle().startsWith(obstacle))
                .findFirst()
                .map(Table::name);
    }

    private Finding none() {
        String privileges = grants.allowsAnywhere("LOCK TABLES") ? "SELECT" : "SELECT, LOCK TABLES";
        String remedy = account.grant(privileges, AccountName.SOME_SCHEMA);
        if (!grants.allowsAnywhere("SELECT")) {
            return Finding.blocks(account + " has no SELECT right", List.of(remedy));
        }
        return Finding.blocks(
                account + " can read no partitioned or large table",
                List.of(remedy, TableRemedies.partition(new TableName(AccountName.SOME_SCHEMA, "your_table"))));
    }

    private static String counted(List<Table> tables) {
        boolean partitioned = tables.stream().allMatch(table -> table.partitions() > 0);
        return tables.size() + (partitioned ? " partitioned table" : " table") + (tables.size() == 1 ? "" : "s");
    }

    private static String named(List<Table> tables, Function<Table, String> remark) {
        String names = tables.stream()
                .limit(MOST_NAMED)
                .map(table -> table.name() + remark.apply(table))
                .collect(Collectors.joining(", "));
        return tables.size() > MOST_NAMED ? names + " and " + (tables.size() - MOST_NAMED) + " more" : names;
    }
}
