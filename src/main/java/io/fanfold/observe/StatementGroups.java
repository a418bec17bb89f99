package io.fanfold.observe;

import io.fanfold.execute.Digest;
import io.fanfold.reason.Reason;
import io.fanfold.sql.SqlDialect;
import io.fanfold.sql.StatementDigest;
import io.fanfold.sql.StatementFilter;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Groups SELECTs by schema and digest, and keeps those that take most time, within bounds of number and memory. A group
 * that is dropped counts for the total only; if its statement comes again, a new group begins. Not thread-safe.
 */
final class StatementGroups {
    /** While statements are read, more groups are kept than wanted, by this factor: a small group may grow. */
    private static final int SPARE = 8;

    private static final String EXECUTE = "EXECUTE ";

    private final SqlDialect dialect;
    private final int wanted;
    private final long mostCharacters;
    private final StatementFilter selects = StatementFilter.of(List.of(), List.of(), Integer.MAX_VALUE);
    private final Map<GroupKey, OpenGroup> groups = new HashMap<>();
    private long characters;
    private long executions;
    private long nanos;
    private long selectExecutions;
    private long selectNanos;

    private record GroupKey(String schema, String digest) {}

    private static final class OpenGroup {
        private String sample = "";
        private boolean cut;
        private long longest = -1;
        private long executions;
        private long nanos;
    }

    /**
     * What was added.
     *
     * @param executions of all statements
     * @param nanos their time
     * @param selectExecutions of SELECTs
     * @param selectNanos their time
     * @param groups those that took most time, in the order of their time
     */
    record Load(long executions, long nanos, long selectExecutions, long selectNanos, List<StatementGroup> groups) {
        Load {
            groups = List.copyOf(groups);
        }

        /** The time of SELECTs in no group. */
        long droppedNanos() {
            return selectNanos
                    - groups.stream().mapToLong(StatementGroup::nanos).sum();
        }

        /** The executions of SELECTs in no group. */
        long droppedExecutions() {
            return selectExecutions
                    - groups.stream().mapToLong(StatementGroup::executions).sum();
        }

        /** Returns the same load with other groups. */
        Load with(List<StatementGroup> others) {
            return new Load(executions, nanos, selectExecutions, selectNanos, others);
        }
    }

    /**
     * @param dialect how the statements are read
     * @param wanted the number of groups in the end
     * @param mostCharacters how many characters all groups together may hold
     */
    StatementGroups(SqlDialect dialect, int wanted, long mostCharacters) {
        this.dialect = dialect;
        this.wanted = wanted;
        this.mostCharacters = mostCharacters;
    }

    void add(LoggedStatement statement) {
        executions += statement.executions();
        nanos += statement.nanos();
        if (!isSelect(statement)) {
            return;
        }
        selectExecutions += statement.executions();
        selectNanos += statement.nanos();
        GroupKey key = new GroupKey(statement.schema(), digest(statement));
        OpenGroup group = groups.get(key);
        if (group == null) {
            group = new OpenGroup();
            groups.put(key, group);
            characters += key.schema().length() + key.digest().length();
        }
        group.executions += statement.executions();
        group.nanos += statement.nanos();
        // a text whose end is missing cannot be explained
        if (group.longest < 0
                || group.cut == statement.cut() && statement.nanos() > group.longest
                || group.cut && !statement.cut()) {
            characters += statement.sql().length() - group.sample.length();
            group.sample = statement.sql();
            group.cut = statement.cut();
            group.longest = statement.nanos();
        }
        if (groups.size() > SPARE * wanted || characters > mostCharacters) {
            drop();
        }
    }

    private boolean isSelect(LoggedStatement statement) {
        String digest = statement.digest();
        if (digest.isEmpty()) {
            return isSelect(statement.sql());
        }
        // MySQL 9 has digests of their own for preparing and executing a prepared statement
        return isSelect(digest.startsWith(EXECUTE) ? digest.substring(EXECUTE.length()) : digest);
    }

    private boolean isSelect(String sql) {
        byte[] bytes = sql.getBytes(StandardCharsets.UTF_8);
        Optional<Reason> refused = selects.check(bytes, 0, bytes.length);
        return !refused.equals(Optional.of(Reason.NOT_A_SELECT));
    }

    private String digest(LoggedStatement statement) {
        if (!statement.digest().isEmpty()) {
            return statement.digest();
        }
        String digest = StatementDigest.whole(statement.sql(), dialect);
        return digest.isEmpty() ? Digest.of(statement.sql()) : digest;
    }

    /** Drops the groups with the least time, so that half of both bounds is free. */
    private void drop() {
        List<Map.Entry<GroupKey, OpenGroup>> least = groups.entrySet().stream()
                .sorted(Comparator.comparingLong(entry -> entry.getValue().nanos))
                .toList();
        for (Map.Entry<GroupKey, OpenGroup> entry : least) {
            boolean enough = 2 * groups.size() <= SPARE * wanted && 2 * characters <= mostCharacters;
            if (enough || groups.size() == 1) {
                return;
            }
            GroupKey key = entry.getKey();
            characters -= key.schema().length()
                    + key.digest().length()
                    + entry.getValue().sample.length();
            groups.remove(key);
        }
    }

    /** Returns what was added so far. */
    Load load() {
        return new Load(
                executions,
                nanos,
                selectExecutions,
                selectNanos,
                groups.entrySet().stream()
                        .map(entry -> group(entry.getKey(), entry.getValue()))
                        .sorted(Comparator.comparingLong(StatementGroup::nanos).reversed())
                        .limit(wanted)
                        .toList());
    }

    private static StatementGroup group(GroupKey key, OpenGroup group) {
        return new StatementGroup(key.schema(), key.digest(), group.sample, group.cut, group.executions, group.nanos);
    }
}
