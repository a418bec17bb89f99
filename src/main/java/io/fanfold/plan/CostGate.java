package io.fanfold.plan;

import io.fanfold.catalog.CatalogTable;
import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.catalog.KeyColumn;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Hint;
import io.fanfold.sql.SelectModel.PartitionClause;
import io.fanfold.sql.SelectModel.TablePlace;
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
 * Decides from the server's EXPLAIN whether a fan-out pays off, and over which partitions. The returned partitions are
 * the pruned ones at that time. They are only valid while the transaction that ran the EXPLAIN is open.
 */
public final class CostGate {
    /** The partition queries may read at most this many times the rows of the whole statement. */
    private static final int WORSE_FACTOR = 2;

    private static final String FULL_SCAN = "ALL";
    private static final String INDEX_SCAN = "index";

    /**
     * Access types for which ranges of the index share the work. Rows that are looked up by the first column of an index
     * are shared too: the server also applies a range of that column to the columns that are equal to it.
     */
    private static final Set<String> SCANS = Set.of(FULL_SCAN, INDEX_SCAN, "range", "ref", "eq_ref");

    /** Access types that look up the rows for a row of another table. */
    private static final Set<String> LOOKUPS = Set.of("const", "system", "eq_ref", "ref", "ref_or_null");

    private final long minRows;

    /** Creates a gate that requires at least {@code minRows} estimated rows. */
    public CostGate(long minRows) {
        this.minRows = minRows;
    }

    /**
     * The partitions that a fan-out reads.
     *
     * @param partitions in the table's order
     * @param estimatedRows the number of rows that the server expects to read
     */
    public record PartitionChoice(List<Partition> partitions, long estimatedRows) {
        public PartitionChoice {
            partitions = List.copyOf(partitions);
        }
    }

    /**
     * Evaluates one EXPLAIN.
     *
     * @param explained the rows of the EXPLAIN of the block alone, in order
     * @param split the table instance to split
     * @param table its partitions, read in the same transaction or before it
     * @param ranges whether the table, or a partition of it, may be split by ranges of a key
     */
    public PartitionChoice judge(
            List<ExplainedTable> explained, TableRef split, CatalogTable table, Hint hint, boolean ranges)
            throws RefusedException {
        String shown = split.shownName();
        List<ExplainedTable> found = shownAs(explained, split);
        if (found.size() > 1) {
            throw new RefusedException(
                    Reason.AMBIGUOUS_NAME, "EXPLAIN shows " + found.size() + " tables named " + shown);
        }
        if (found.isEmpty()) {
            throw new RefusedException(Reason.ALREADY_FAST, "EXPLAIN shows no table " + shown);
        }
        ExplainedTable own = found.get(0);
        if (own.partitions().isEmpty() == table.partitioned()) {
            throw new RefusedException(
                    Reason.PARTITIONS,
                    "EXPLAIN shows " + (table.partitioned() ? "no partitions" : "partitions") + " for " + shown);
        }
        List<Partition> partitions = table.partitioned() ? shown(own, split, table) : table.partitions();
        if (!table.partitioned() && !ranges) {
            throw new RefusedException(Reason.KEY_RANGE, "no place for a range of " + split.name());
        }
        if (!table.partitioned()) {
            requireScan(own);
        }
        if (partitions.size() < 2 && !ranges) {
            throw new RefusedException(Reason.FEW_PARTITIONS, partitions.size() + " left");
        }
        boolean forced = hint instanceof Hint.Parallel;
        if (!forced && own.looseIndexScan()) {
            throw new RefusedException(Reason.ALREADY_FAST, "loose index scan");
        }
        long rows = product(explained.subList(0, explained.indexOf(own) + 1).stream()
                .filter(row -> row.select() == own.select())
                .toList());
        if (!forced && rows < minRows) {
            throw new RefusedException(Reason.FEW_ROWS, rows + " rows estimated (the gate is " + minRows + ")");
        }
        return new PartitionChoice(partitions, rows);
    }

    /** Returns the partitions that EXPLAIN shows for the split table, in the table's order. */
    private static List<Partition> shown(ExplainedTable own, TableRef split, CatalogTable table)
            throws RefusedException {
        if (!distinguishable(table)) {
            throw new RefusedException(
                    Reason.PARTITIONS, "EXPLAIN names the partitions of " + table.name() + " ambiguously");
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
            throw new RefusedException(Reason.PARTITIONS, "EXPLAIN names partitions that are not known: " + wanted);
        }
        if (split.partitions().isPresent() && !wished(split.partitions().get(), partitions)) {
            throw new RefusedException(Reason.PARTITIONS, "EXPLAIN names partitions that the statement does not");
        }
        return partitions;
    }

    /** Requires a plan that reads the rows by one index. */
    private static void requireScan(ExplainedTable own) throws RefusedException {
        if (!SCANS.contains(own.accessType())) {
            throw new RefusedException(
                    Reason.KEY_RANGE, "the server finds the rows by access type " + own.accessType());
        }
    }

    /** Whether a plan reads the rows of the split table by one index. */
    public static boolean scans(List<ExplainedTable> explained, TableRef split) {
        List<ExplainedTable> found = shownAs(explained, split);
        return found.size() == 1 && SCANS.contains(found.get(0).accessType());
    }

    /** Whether a plan reads all rows of the split table, from the table or from an index. */
    public static boolean scansFully(List<ExplainedTable> explained, TableRef split) {
        return shownAs(explained, split).stream().anyMatch(CostGate::full);
    }

    /**
     * Returns the index whose ranges share the work of a plan: the one that the plan reads, or the primary key, in whose
     * order a table is stored.
     *
     * @param explained a plan that {@link #judge} has accepted
     */
    public static String scannedIndex(List<ExplainedTable> explained, TableRef split) {
        ExplainedTable own = shownAs(explained, split).get(0);
        return own.accessType().equals(FULL_SCAN) ? KeyColumn.PRIMARY : own.key();
    }

    /**
     * Compares the server's plan for one partition query with its plan for the whole statement. With a PARTITION
     * clause, the server estimates again and may choose another join order. Estimates ignore most conditions and cannot
     * show which order is better, so only the same order is trusted.
     *
     * @param whole the EXPLAIN of the block alone
     * @param partition the EXPLAIN of the query for the largest partition
     * @param split the table instance to split
     * @param queries the number of partition queries
     * @param partitions the number of partitions that they read, 1 for a table without partitions
     * @return why the split is refused, if all partition queries together would read clearly more rows or the join
     *     order differs
     */
    public static Optional<Refusal> worse(
            List<ExplainedTable> whole, List<ExplainedTable> partition, TableRef split, int queries, int partitions) {
        if (!before(whole, split).equals(before(partition, split))) {
            return Optional.of(new Refusal(
                    Reason.WORSE_PLAN,
                    "a partition query joins " + before(partition, split) + " first, the statement "
                            + before(whole, split)));
        }
        boolean finds = finds(whole, split) && finds(partition, split);
        long once = finds ? total(finding(whole, split, 1)) : total(whole);
        long one = finds ? total(finding(partition, split, partitions)) : total(partition);
        long together = saturatedProduct(one, queries);
        if (together / WORSE_FACTOR <= once) {
            return Optional.empty();
        }
        return Optional.of(new Refusal(
                Reason.WORSE_PLAN, together + " rows in " + queries + " partition queries, " + once + " in one"));
    }

    /** Whether each row of the tables before the split table finds rows of it by an index. */
    private static boolean finds(List<ExplainedTable> explained, TableRef split) {
        return shownAs(explained, split).stream()
                .anyMatch(own ->
                        own.accessType().equals("ref") || own.accessType().equals("ref_or_null"));
    }

    /**
     * Returns a plan with the rows that a query of one partition finds. The server estimates rows of the whole table for
     * each row of the tables before it. Each partition has only a share of these, but is searched as often.
     */
    private static List<ExplainedTable> finding(List<ExplainedTable> explained, TableRef split, int partitions) {
        List<ExplainedTable> own = shownAs(explained, split);
        return explained.stream()
                .map(row -> own.contains(row) ? row.withRows(1 + row.rows() / partitions) : row)
                .toList();
    }

    /**
     * Whether a plan reads all rows of the split table that have a partner, by lookups of all rows of other tables. The
     * server often underestimates these: its statistics of an index are rough where many rows have one value.
     */
    public static boolean findsAll(List<ExplainedTable> explained, TableRef split) {
        return mayFindAll(explained, split)
                && before(explained, shownAs(explained, split).get(0)).stream()
                        .noneMatch(row -> row.extra().contains("Using where"));
    }

    /** Like {@link #findsAll}, but conditions on the other tables may leave only a part of them. */
    private static boolean mayFindAll(List<ExplainedTable> explained, TableRef split) {
        List<ExplainedTable> own = shownAs(explained, split);
        if (own.size() != 1 || !finds(explained, split)) {
            return false;
        }
        // without tables before it, the rows are those with a constant value
        List<ExplainedTable> before = before(explained, own.get(0));
        return !before.isEmpty() && before.stream().allMatch(CostGate::full);
    }

    /**
     * Returns a plan in which a table of which {@link #findsAll} holds has all its rows.
     *
     * @param tableRows the estimated rows of the table
     */
    public static List<ExplainedTable> corrected(List<ExplainedTable> explained, TableRef split, long tableRows) {
        return findsAll(explained, split) ? withAll(explained, split, tableRows) : explained;
    }

    /** Like {@link #corrected}, also if conditions on other tables leave fewer rows: the most that the plan may read. */
    public static List<ExplainedTable> atMost(List<ExplainedTable> explained, TableRef split, long tableRows) {
        return mayFindAll(explained, split) ? withAll(explained, split, tableRows) : explained;
    }

    private static List<ExplainedTable> withAll(List<ExplainedTable> explained, TableRef split, long tableRows) {
        ExplainedTable own = shownAs(explained, split).get(0);
        long each = tableRows / product(before(explained, own));
        return explained.stream()
                .map(row -> row.equals(own) ? row.withRows(Math.max(row.rows(), each)) : row)
                .toList();
    }

    /** Returns the rows of a plan that are read before a table in the same SELECT. */
    private static List<ExplainedTable> before(List<ExplainedTable> explained, ExplainedTable own) {
        return explained.subList(0, explained.indexOf(own)).stream()
                .filter(row -> row.select() == own.select())
                .toList();
    }

    private static boolean full(ExplainedTable row) {
        return row.accessType().equals(FULL_SCAN) || row.accessType().equals(INDEX_SCAN);
    }

    /**
     * Whether a plan shows a table exactly once and reads only the given partitions of it.
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
     * Returns the rows that may be those of the split table. A table of the FROM clause belongs to the first SELECT. A
     * subquery's table of the same name belongs to it only if the server merged the two; then there are two rows. For a
     * table inside a relation, only the server knows the SELECT.
     */
    static List<ExplainedTable> shownAs(List<ExplainedTable> explained, TableRef split) {
        return explained.stream()
                .filter(row -> row.table().equalsIgnoreCase(split.shownName()))
                .filter(row -> row.select() == 1 || split.place() != TablePlace.FROM)
                .toList();
    }

    /**
     * Returns how many rows of the split table a plan reads: its rows once if it uses a join buffer, otherwise once for
     * each row of the tables before it.
     *
     * @return 0 if the plan does not show the table exactly once
     */
    public static long reads(List<ExplainedTable> explained, TableRef split) {
        List<ExplainedTable> found = shownAs(explained, split);
        if (found.size() != 1) {
            return 0;
        }
        ExplainedTable own = found.get(0);
        long times = own.extra().contains("join buffer") ? 1 : product(before(explained, own));
        return saturatedProduct(times, Math.max(1, own.rows()));
    }

    /**
     * Returns the tables whose rows look up rows of the split table, empty if the plan scans the table or a range of
     * it.
     */
    public static Set<String> lookedUpBy(List<ExplainedTable> explained, TableRef split) {
        return shownAs(explained, split).stream().anyMatch(own -> LOOKUPS.contains(own.accessType()))
                ? before(explained, split)
                : Set.of();
    }

    /**
     * Returns the partitions of the split table that a plan reads, in lower case: none if the plan reads no table at
     * all.
     *
     * @return empty if the plan does not show the table exactly once
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

    /** Returns the tables that are read before the split table in the same SELECT. */
    static Set<String> before(List<ExplainedTable> explained, TableRef split) {
        Set<String> names = new TreeSet<>();
        for (ExplainedTable own : shownAs(explained, split)) {
            before(explained, own).forEach(row -> names.add(row.table()));
        }
        return names;
    }

    /**
     * Returns the rows that all SELECTs of a statement read, by the server's estimate: a joined table is read for each row
     * of the tables before it.
     */
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

    /** Whether all partitions are named in the statement's clause, or are subpartitions of those. */
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
     * Whether each partition has a unique name in EXPLAIN's list. A comma in a name also separates names. Partition
     * {@code a_b} with subpartition {@code c} is shown like partition {@code a} with {@code b_c}.
     */
    private static boolean distinguishable(CatalogTable table) {
        Set<String> names = new HashSet<>();
        return table.partitions().stream()
                .map(partition -> partition.explainName().toLowerCase(Locale.ROOT))
                .allMatch(name -> name.indexOf(',') < 0 && names.add(name));
    }
}
