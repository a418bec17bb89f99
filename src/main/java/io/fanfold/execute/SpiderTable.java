package io.fanfold.execute;

import io.fanfold.catalog.PartitionScheme;
import io.fanfold.catalog.PartitionScheme.Definition;
import io.fanfold.catalog.TableName;
import io.fanfold.config.SnapshotConfig;
import io.fanfold.config.SnapshotConfig.TableLocks;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.LogicalPlan;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.plan.MergeNode;
import io.fanfold.plan.Part;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.AggregateFunction;
import io.fanfold.sql.Expr.ExprKind;
import io.fanfold.sql.FunctionFacts;
import io.fanfold.sql.FunctionFacts.DivisionKind;
import io.fanfold.sql.FunctionFacts.FunctionKind;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.TablePlace;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.wire.Reply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The Spider table that a statement splits, a table of MariaDB whose partitions are on other servers. These compute what a
 * partition query asks for, with their own settings and definitions. So fewer statements are split than over InnoDB, and
 * each query reads one partition: with several, Spider itself returns groups twice (10.11, SpiderIT).
 *
 * <p>No log of the head shows what other heads write. So only the lock proves snapshots equal: Spider takes it on all
 * servers of the table, see {@link #reads}.
 *
 * @param table its only instance in the statement
 * @param partitions in the table's order
 * @param columns those that the statement may read, quoted
 */
record SpiderTable(TableRef table, List<Definition> partitions, List<String> columns) {
    private static final Set<AggregateFunction> AGGREGATES = Set.of(
            AggregateFunction.COUNT,
            AggregateFunction.SUM,
            AggregateFunction.AVG,
            AggregateFunction.MIN,
            AggregateFunction.MAX);

    /** The name and the type of a column in a definition, with or without quotes around the name. */
    private static final Pattern COLUMN = Pattern.compile(
            "^  (`(?:[^`]++|``)++`|\"(?:[^\"]++|\"\")++\"|[^\\s`\"]++) ([a-z]++)([^\n]*+)", Pattern.MULTILINE);

    private static final String UNORDERED = " ORDER BY NULL";

    private static final Pattern DIGITS = Pattern.compile("^\\((\\d{1,2})");

    /** The product of two such columns has at most 60 digits, and Spider stores 65. */
    private static final int MOST_DIGITS = 30;

    /** A parameter of Spider with several values: a partition is then on several servers, of which each read has its own. */
    private static final Pattern SEVERAL =
            Pattern.compile("(?:srv|server|host|port|socket|database|table|tbl)\\s*+\"[^\"\\s]*+\\s");

    private static final Pattern REMOTE_TABLE =
            Pattern.compile("\\b(?:table|tbl)\\s*+\"[^\"]*+\"|[\\s,]++", Pattern.CASE_INSENSITIVE);

    private static final Pattern QUOTES = Pattern.compile("[`\"]");

    SpiderTable {
        partitions = List.copyOf(partitions);
        columns = List.copyOf(columns);
    }

    /**
     * Returns the Spider table of a statement, empty if it reads none.
     *
     * @param definitions the reply to each SHOW CREATE TABLE, by its text
     * @throws RefusedException if the statement reads one and is not of a kind that is split over Spider
     */
    static Optional<SpiderTable> of(LogicalStatement logical, Map<String, Reply> definitions, boolean transaction)
            throws RefusedException {
        List<TableRef> found = logical.statement().tables().stream()
                .filter(table -> scheme(table, definitions).isPresent())
                .toList();
        if (found.isEmpty()) {
            return Optional.empty();
        }
        TableRef table = found.get(0);
        LogicalPlan block = logical.blocks().get(0);
        boolean splits = TableProof.statement(table).equals(TableProof.statement(block.split()));
        if (found.size() > 1
                || logical.blocks().size() > 1
                || !splits
                || block.split().place() != TablePlace.FROM) {
            throw refused(table, "the statement reads it at several places, or splits another table");
        }
        if (transaction) {
            // the client's own connection has no snapshots on other servers
            throw new RefusedException(Reason.IN_TRANSACTION, table.name() + " is a Spider table");
        }
        if (block.model().words(block.model().sql()).contains(known -> !sameEverywhere(known))) {
            throw refused(table, "its servers may compute a function or a division with other settings");
        }
        if (names(block.model().sql(), "escape")) {
            throw refused(table, "Spider leaves ESCAPE out");
        }
        String definition = Optional.ofNullable(definitions.get(TableProof.statement(table)))
                .flatMap(TableProof::definition)
                .orElse("");
        if (SEVERAL.matcher(definition.toLowerCase(Locale.ROOT)).find()) {
            throw refused(table, "a partition is on several servers");
        }
        return Optional.of(new SpiderTable(
                table,
                scheme(table, definitions).orElseThrow().partitions(),
                columns(table, block.model(), definition)));
    }

    /** Returns the columns that a statement may name. */
    private static List<String> columns(TableRef table, SelectModel model, String definition) throws RefusedException {
        List<String> columns = new ArrayList<>();
        boolean all = model.using()
                || model.items().stream().anyMatch(item -> item.expr().kind() == ExprKind.STAR);
        Matcher column = COLUMN.matcher(definition);
        while (column.find()) {
            String name = QUOTES.matcher(column.group(1)).replaceAll("");
            boolean named = all || names(model.sql(), name);
            if (named && column.group(2).equals("timestamp")) {
                throw refused(table, "its servers read a TIMESTAMP in another time zone");
            }
            if (named && column.group(2).equals("year")) {
                throw refused(table, "Spider reads the YEAR 0000 as 2000");
            }
            if (named && column.group(2).equals("decimal") && digits(column.group(3)) > MOST_DIGITS) {
                throw refused(table, "Spider cuts results of more than 65 digits, as of a DECIMAL with many digits");
            }
            if (named
                    && column.group(3).contains(" CHARACTER SET ")
                    && !definition.contains("DEFAULT CHARSET=utf8mb4")) {
                throw refused(table, "Spider reads its texts in the table's default character set: make that utf8mb4");
            }
            if (named) {
                columns.add(TableName.quote(name));
            }
        }
        return columns;
    }

    /** Returns the digits of a DECIMAL column by what follows its type, such as {@code (12,2) NOT NULL}. */
    private static int digits(String rest) {
        Matcher found = DIGITS.matcher(rest);
        return found.find() ? Integer.parseInt(found.group(1)) : Integer.MAX_VALUE;
    }

    /** Whether a text may have a name, which is no part of a longer one. */
    private static boolean names(String sql, String name) {
        String text = sql.toLowerCase(Locale.ROOT);
        String word = name.toLowerCase(Locale.ROOT);
        if (!word.chars().allMatch(Character::isJavaIdentifierPart)) {
            return true;
        }
        for (int at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
            if (!inWord(text, at - 1) && !inWord(text, at + word.length())) {
                return true;
            }
        }
        return false;
    }

    private static boolean inWord(String text, int at) {
        return at >= 0 && at < text.length() && Character.isJavaIdentifierPart(text.charAt(at));
    }

    private static Optional<PartitionScheme> scheme(TableRef table, Map<String, Reply> definitions) {
        return Optional.ofNullable(definitions.get(TableProof.statement(table))).flatMap(TableProof::spiderScheme);
    }

    /** Whether a function depends on its arguments alone, on any server. AVG is computed from a sum and a count. */
    private static boolean sameEverywhere(FunctionFacts known) {
        if (known.isAggregate(aggregate -> true)) {
            return known.isAggregate(AGGREGATES::contains);
        }
        return known.is(FunctionKind.OPERATOR)
                && known.divides() == DivisionKind.NONE
                && !known.name().startsWith("CAST");
    }

    /** Returns the number of servers that have its partitions. */
    int servers() {
        return (int) partitions.stream().map(SpiderTable::server).distinct().count();
    }

    /**
     * Orders parts by turns of the servers, so that the first workers ask as many servers as there are.
     *
     * @param parts of one partition each
     * @return each server's parts in their order among themselves
     */
    List<Part> byTurns(List<Part> parts) {
        Map<String, String> servers = partitions.stream()
                .collect(Collectors.toMap(partition -> partition.name().toLowerCase(Locale.ROOT), SpiderTable::server));
        Map<String, Integer> turns = new HashMap<>();
        Map<Part, Integer> turn = new HashMap<>();
        for (Part part : parts) {
            String name = part.names().get(0).toLowerCase(Locale.ROOT);
            turn.put(part, turns.merge(servers.getOrDefault(name, name), 1, Integer::sum));
        }
        return parts.stream().sorted(Comparator.comparing(turn::get)).toList();
    }

    /** Returns what is equal for partitions on the same server: the comment without the name of the table there. */
    private static String server(Definition partition) {
        return REMOTE_TABLE.matcher(partition.comment()).replaceAll("");
    }

    /** Requires settings under which it may be split. */
    void require(SnapshotConfig snapshots) throws RefusedException {
        if (snapshots.tableLocks() != TableLocks.ALLOW) {
            throw refused(table, "set fan-out.table-locks: allow to split it");
        }
    }

    /**
     * What each worker reads while the tables are locked. With spider_use_consistent_snapshot=1, the first read of a server
     * opens the snapshot there; LIMIT 0 would not reach it. The server of a partition computes the collations in its own
     * table. The head computes those of all partitions together. They must be equal, because servers compare texts by
     * their own.
     */
    List<String> reads() {
        String select = columns.stream()
                .map(column -> "COLLATION(" + column + ")")
                .collect(Collectors.joining(", ", "SELECT ", " FROM " + TableProof.name(table)));
        String from = columns.isEmpty() ? "SELECT 1 FROM " + TableProof.name(table) : select;
        return Stream.concat(
                        Stream.of(from + " LIMIT 1"),
                        partitions.stream()
                                .map(partition ->
                                        from + " PARTITION (" + TableName.quote(partition.name()) + ") LIMIT 1"))
                .toList();
    }

    /**
     * Returns a partition query without ORDER BY NULL, with which Spider fetches all rows and has the head group them
     * (10.11.18). The order of groups does not matter.
     *
     * @param query its text
     */
    static String pushedDown(String query) {
        return query.endsWith(UNORDERED) ? query.substring(0, query.length() - UNORDERED.length()) : query;
    }

    /**
     * Requires that sorted rows have a worker for each partition: they are merged while all of them are read.
     *
     * @param queries the number of partitions that are read
     */
    void require(FanOutPlan plan, int queries, int workers) throws RefusedException {
        if (plan.merge() instanceof MergeNode.Streamed rows && !rows.keys().isEmpty() && queries > workers) {
            throw new RefusedException(
                    Reason.POOL_BUSY,
                    table.name() + " is a Spider table, whose " + queries
                            + " partitions need as many workers to sort all rows");
        }
    }

    /**
     * Requires that definitions show the same Spider table, and no other, as in the preflight.
     *
     * @param known that of the preflight; empty if there was none
     * @param shown definitions inside the snapshot
     */
    static void requireSame(Optional<SpiderTable> known, Map<String, Reply> shown) throws RefusedException {
        for (Map.Entry<String, Reply> entry : shown.entrySet()) {
            Optional<List<Definition>> now =
                    TableProof.spiderScheme(entry.getValue()).map(PartitionScheme::partitions);
            Optional<List<Definition>> before = known.filter(
                            spider -> TableProof.statement(spider.table).equals(entry.getKey()))
                    .map(SpiderTable::partitions);
            if (!now.equals(before)) {
                throw new RefusedException(Reason.PARTITIONS, "a Spider table has changed: " + entry.getKey());
            }
        }
    }

    private static RefusedException refused(TableRef table, String why) {
        return new RefusedException(new Refusal(Reason.ENGINE, table.name() + " is a Spider table, and " + why));
    }
}
