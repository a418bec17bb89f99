package io.fanfold.config;

import io.fanfold.config.AccountsConfig.AccountEntry;
import io.fanfold.config.TablePattern.NamePattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the groups {@code tables} and {@code accounts}, whose keys are names and patterns. */
final class TableSections {
    private static final String EXPECTED =
            "schema.table, such as shop.orders or \"log_*.*\"; put a name in back quotes if it"
                    + " contains a dot, a back quote, * or ?, or a blank at its start or end: \"`my.shop`.orders\"";

    private TableSections() {}

    static TablesConfig tables(Section section) {
        List<TableEntry> entries = new ArrayList<>();
        for (String key : section.keys()) {
            Optional<TablePattern> name = TablePattern.parse(key);
            TablePattern read = name.orElseGet(
                    () -> new TablePattern(key, TablePattern.NamePattern.of(""), TablePattern.NamePattern.of("")));
            TableEntry entry = section.group(key, inner -> entry(read, inner));
            if (name.isEmpty()) {
                section.mistakenKey(key, "'" + key + "' is not the name of a table (expected: " + EXPECTED + ")");
                continue;
            }
            entries.stream()
                    .filter(earlier -> earlier.name().same(read))
                    .map(earlier -> earlier.name().text())
                    .findFirst()
                    .ifPresent(earlier -> section.mistakenKey(
                            key,
                            "duplicate table (expected: once; the other one is in line " + section.line(earlier)
                                    + ")"));
            entries.add(entry);
        }
        return new TablesConfig(entries);
    }

    static AccountsConfig accounts(Section section) {
        List<AccountEntry> entries = new ArrayList<>();
        for (String key : section.keys()) {
            NamePattern user = NamePattern.of(key);
            entries.add(
                    section.group(key, inner -> new AccountEntry(user, mode(inner), reuse(inner), readFrom(inner))));
        }
        return new AccountsConfig(entries);
    }

    private static FanOutConfig.@Nullable Mode mode(Section section) {
        return section.optional(
                "mode", () -> section.choice("mode", FanOutConfig.defaults().mode(), FanOutConfig.Mode.class));
    }

    private static ReuseConfig.@Nullable Reuse reuse(Section section) {
        return section.optional(
                "reuse", () -> section.choice("reuse", ReuseConfig.defaults().mode(), ReuseConfig.Reuse.class));
    }

    private static ReplicaReads.@Nullable ReadFrom readFrom(Section section) {
        return section.optional(
                "read-from",
                () -> section.choice("read-from", ReplicaReads.defaults().from(), ReplicaReads.ReadFrom.class));
    }

    private static TableEntry entry(TablePattern name, Section section) {
        FanOutConfig base = FanOutConfig.defaults();
        SnapshotConfig snapshots = base.snapshots();
        section.forbid("enabled", FanOutConfig.NO_ENABLED);
        return new TableEntry(
                name,
                mode(section),
                section.optional("degree", () -> section.integer("degree", base.degree(), 1, FanOutConfig.MOST_DEGREE)),
                section.optional("min-rows", () -> section.number("min-rows", base.minRows(), 0, Long.MAX_VALUE)),
                section.optional(
                        "consistency",
                        () -> section.choice("consistency", snapshots.consistency(), SnapshotConfig.Consistency.class)),
                section.optional(
                        "table-locks",
                        () -> section.choice("table-locks", snapshots.tableLocks(), SnapshotConfig.TableLocks.class)),
                section.optional(
                        "key-ranges",
                        () -> section.choice("key-ranges", base.keyRanges(), FanOutConfig.KeyRanges.class)),
                section.optional(
                        "approximate",
                        () -> section.choice("approximate", base.approximate(), FanOutConfig.Approximate.class)),
                section.optional(
                        "dynamic-filters",
                        () -> section.choice("dynamic-filters", base.filters().dynamic(), FilterConfig.Dynamic.class)),
                reuse(section),
                readFrom(section),
                section.optional("verify-share", () -> section.share("verify-share", base.verifyShare())));
    }
}
