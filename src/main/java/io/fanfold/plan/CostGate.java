package io.fanfold.plan;

import io.fanfold.catalog.PartitionedTable;
import io.fanfold.catalog.PartitionedTable.Partition;
import io.fanfold.metrics.Reason;
import io.fanfold.plan.SplitDecision.PassThrough;
import io.fanfold.sql.SelectModel.Hint;
import io.fanfold.sql.SelectModel.PartitionClause;
import io.fanfold.sql.SelectModel.Place;
import io.fanfold.sql.SelectModel.TableRef;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Decides from the server's own EXPLAIN whether a fan-out is worth it, and over which partitions. The list it gives is
 * the pruned list of the moment; it is only sound while the transaction that ran the EXPLAIN is open.
 */
public final class CostGate {
    /** How many times the rows of the whole statement the partition queries may read. */
    private static final int WORSE_FACTOR = 2;

    /** Access types by which rows are looked up that belong to a row of another table. */
    private static final Set<String> LOOKUPS = Set.of("const", "system", "eq_ref", "ref", "ref_or_null");

    private final long minRows;

    /** A gate that demands at least {@code minRows} estimated rows. */
    public CostGate(long minRows) {
        this.minRows = minRows;
    }

    /** What the gate says. */
    public sealed interface Verdict {
        /**
         * Fan out.
         *
         * @param partitions what is read, in the table's order
         * @param estimatedRows how many rows the server expects to read
         */
        record Worth(List<Partition> partitions, long estimatedRows) implements Verdict {
            public Worth {
                partitions = List.copyOf(partitions);
            }
        }

        /** Pass through. */
        record NotWorth(PassThrough decision) implements Verdict {}
    }

    /**
     * Judges one EXPLAIN.
     *
     * @param explained the rows of the EXPLAIN of the block by itself, in order
     * @param split the table instance that would be split
     * @param table its partitions, read in the same transaction or before it
     */
    public Verdict judge(List<ExplainedTable> explained, TableRef split, PartitionedTable table, Hint hint) {
        String shown = shownName(split);
        List<ExplainedTable> found = shownAs(explained, split);
        if (found.size() > 1) {
            return no(Reason.AMBIGUOUS_NAME, "EXPLAIN shows " + found.size() + " tables named " + shown);
        }
        if (found.isEmpty()) {
            return no(Reason.ALREADY_FAST, "EXPLAIN shows no table " + shown);
        }
        ExplainedTable own = found.get(0);
        if (own.partitions().isEmpty()) {
            return no(Reason.PARTITIONS, "EXPLAIN shows no partitions for " + shown);
        }
        if (!toldApart(table)) {
            return no(Reason.PARTITIONS, "EXPLAIN does not tell the partitions of " + table.name() + " apart");
        }
        List<Partition> partitions = new ArrayList<>();
        Set<String> wanted = new HashSet<>();
        own.partitions().forEach(name -> wanted.add(name.toLowerCase(Locale.ROOT)));
        for (Partition partition : table.partitions()) {
            if (wanted.remove(partition.explainName().toLowerCase(Locale.ROOT))) {
                partitions.add(partition);
            }
        }
        if (!wanted.isEmpty() || partitions.size() != own.partitions().size()) {
            return no(Reason.PARTITIONS, "EXPLAIN names partitions that are not known: " + wanted);
        }
        if (split.partitions().isPresent() && !wished(split.partitions().get(), partitions)) {
            return no(Reason.PARTITIONS, "EXPLAIN names partitions that the statement does not");
        }
        if (partitions.size() < 2) {
            return no(Reason.FEW_PARTITIONS, partitions.size() + " left");
        }
        boolean forced = hint instanceof Hint.Parallel;
        if (!forced && own.looseIndexScan()) {
            return no(Reason.ALREADY_FAST, "loose index scan");
        }
        long rows = product(explained.subList(0, explained.indexOf(own) + 1).stream()
                .filter(row -> row.select() == own.select())
                .toList());
        if (!forced && rows < minRows) {
            return no(Reason.FEW_ROWS, rows + " rows estimated (the gate is " + minRows + ")");
        }
        return new Verdict.Worth(partitions, rows);
    }

    /**
     * Compares the server's plan for one partition query with the one for the whole statement. With a PARTITION clause
     * the server estimates anew and may choose another join order; whether that one is better cannot be told from
     * estimates that ignore most conditions, so only the same order is trusted.
     *
     * @param whole the EXPLAIN of the block by itself
     * @param partition the EXPLAIN of the largest partition's query
     * @param split the table instance that is split
     * @param queries how many partition queries there are
     * @return why the split is not worth it, where all partition queries together would read clearly more rows
     */
    public static Optional<PassThrough> worse(
            List<ExplainedTable> whole, List<ExplainedTable> partition, TableRef split, int queries) {
        if (!before(whole, split).equals(before(partition, split))) {
            return Optional.of(new PassThrough(
                    Reason.WORSE_PLAN,
                    "a partition query joins " + before(partition, split) + " first, the statement "
                            + before(whole, split)));
        }
        long once = total(whole);
        long together = saturatedProduct(total(partition), queries);
        if (together / WORSE_FACTOR <= once) {
            return Optional.empty();
        }
        return Optional.of(new PassThrough(
                Reason.WORSE_PLAN, together + " rows in " + queries + " partition queries, " + once + " in one"));
    }

    /**
     * Whether a plan shows a table once, and as one that is read in no other than some partitions.
     *
     * @param partitions their names in lower case
     */
    public static boolean readsOnly(List<ExplainedTable> explained, TableRef table, Set<String> partitions) {
        List<ExplainedTable> found = shownAs(explained, table);
        return found.size() == 1
                && !found.get(0).partitions().isEmpty()
                && found.get(0).partitions().stream()
                        .allMatch(name -> partitions.contains(name.toLowerCase(Locale.ROOT)));
    }

    /**
     * The rows that may be the split table's. A table of the FROM clause belongs to the first SELECT, and a subquery's
     * table of the same name only where the server has merged the two; then there are two rows. What SELECT a table
     * inside a relation belongs to, only the server knows.
     */
    private static List<ExplainedTable> shownAs(List<ExplainedTable> explained, TableRef split) {
        return explained.stream()
                .filter(row -> row.table().equalsIgnoreCase(shownName(split)))
                .filter(row -> row.select() == 1 || split.place() != Place.FROM)
                .toList();
    }

    /**
     * How many rows of the split table a plan reads: once, if they are joined from a buffer; else for each row of the tables before it.
     *
     * @return 0 if it does not show the table once
     */
    public static long reads(List<ExplainedTable> explained, TableRef split) {
        List<ExplainedTable> found = shownAs(explained, split);
        if (found.size() != 1) {
            return 0;
        }
        ExplainedTable own = found.get(0);
        long times = own.extra().contains("join buffer")
                ? 1
                : product(explained.subList(0, explained.indexOf(own)).stream()
                        .filter(row -> row.select() == own.select())
                        .toList());
        return saturatedProduct(times, Math.max(1, own.rows()));
    }

    /** The tables by whose rows a plan looks rows of the split table up; none if it scans the table or a range of it. */
    public static Set<String> lookedUpBy(List<ExplainedTable> explained, TableRef split) {
        return shownAs(explained, split).stream().anyMatch(own -> LOOKUPS.contains(own.accessType()))
                ? before(explained, split)
                : Set.of();
    }

    /**
     * The partitions of the split table that a plan reads, in lower case: none if the plan reads no table at all.
     *
     * @return empty if the plan does not show the table once
     */
    public static Optional<Set<String>> partitions(List<ExplainedTable> explained, TableRef split) {
        if (!explained.isEmpty()
                && explained.stream().allMatch(row -> row.table().isEmpty())) {
            return Optional.of(Set.of());
        }
        List<ExplainedTable> found = shownAs(explained, split);
        return found.size() != 1 || found.get(0).partitions().isEmpty()
                ? Optional.empty()
                : Optional.of(found.get(0).partitions().stream()
                        .map(name -> name.toLowerCase(Locale.ROOT))
                        .collect(Collectors.toSet()));
    }

    /** The tables that are read before the split one, in the same SELECT. */
    private static Set<String> before(List<ExplainedTable> explained, TableRef split) {
        Set<String> names = new TreeSet<>();
        for (ExplainedTable own : shownAs(explained, split)) {
            explained.subList(0, explained.indexOf(own)).stream()
                    .filter(row -> row.select() == own.select())
                    .forEach(row -> names.add(row.table()));
        }
        return names;
    }

    /** The rows that all SELECTs of a statement read. */
    public static long total(List<ExplainedTable> explained) {
        long rows = 0;
        for (long select :
                new TreeSet<>(explained.stream().map(ExplainedTable::select).toList())) {
            long own = product(
                    explained.stream().filter(row -> row.select() == select).toList());
            rows = rows > Long.MAX_VALUE - own ? Long.MAX_VALUE : rows + own;
        }
        return rows;
    }

    private static String shownName(TableRef table) {
        return table.alias() != null ? table.alias() : table.name();
    }

    private static long product(List<ExplainedTable> explained) {
        long rows = 1;
        for (ExplainedTable row : explained) {
            rows = saturatedProduct(rows, Math.max(1, row.rows()));
        }
        return rows;
    }

    private static long saturatedProduct(long left, long right) {
        return left > Long.MAX_VALUE / right ? Long.MAX_VALUE : left * right;
    }

    /** Whether all partitions are among those that the statement itself names, or are parts of these. */
    private static boolean wished(PartitionClause clause, List<Partition> partitions) {
        Set<String> names = new HashSet<>();
        clause.names().forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
        return partitions.stream().allMatch(partition -> {
            String own = partition.selectName().toLowerCase(Locale.ROOT);
            String shown = partition.explainName().toLowerCase(Locale.ROOT);
            int whole = shown.length() - own.length() - 1;
            return names.contains(own) || whole > 0 && names.contains(shown.substring(0, whole));
        });
    }

    /**
     * Whether EXPLAIN's list names each partition in one way: a comma in a name separates as well, and partition
     * {@code a_b} with sub-partition {@code c} is shown like partition {@code a} with {@code b_c}.
     */
    private static boolean toldApart(PartitionedTable table) {
        Set<String> names = new HashSet<>();
        return table.partitions().stream()
                .map(partition -> partition.explainName().toLowerCase(Locale.ROOT))
                .allMatch(name -> name.indexOf(',') < 0 && names.add(name));
    }

    private static Verdict no(Reason reason, String detail) {
        return new Verdict.NotWorth(new PassThrough(reason, detail));
    }
}
