package io.fanfold.execute;

import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.catalog.PartitionScheme;
import io.fanfold.catalog.TableName;
import io.fanfold.plan.CoPartitionedTable;
import io.fanfold.plan.LogicalPlan;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.plan.Part;
import io.fanfold.reason.RefusedException;
import io.fanfold.reuse.Source;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.wire.Reply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the partition queries of a block read, by the definitions inside the workers' snapshots. Immutable.
 *
 * @param definitions the definitions of the block's tables, without what changes with their rows
 * @param ordinals the place of each partition of the split table by its name; empty if it is not known
 * @param byPartition the split table and those that are read partition by partition with it
 * @param cascading those of these tables whose rows a foreign key may change
 * @param whole the other tables of the statement, and those of {@code byPartition} that it reads a second time
 */
record PartSources(
        byte[] definitions,
        Map<String, Integer> ordinals,
        Set<TableName> byPartition,
        Set<TableName> cascading,
        Set<TableName> whole) {
    private static final Pattern NEXT_NUMBER = Pattern.compile(" AUTO_INCREMENT=\\d{1,20}");

    /** A foreign key by which a change of another table changes rows of this one. Not every server logs these. */
    private static final Pattern CASCADE =
            Pattern.compile(" ON (?:DELETE|UPDATE) (?:CASCADE|SET NULL|SET DEFAULT)", Pattern.CASE_INSENSITIVE);

    /**
     * The definition of a column of type TIME, with or without quotes around its name. A conversion to DATETIME completes
     * a TIME with the day of the statement.
     */
    private static final Pattern TIME_COLUMN =
            Pattern.compile("^ {1,9}+([^ \n][^\n]{0,200}?) time[ ,(\n]", Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);

    private static final Pattern QUOTES = Pattern.compile("[`\"]");

    /**
     * Returns what a block reads.
     *
     * @param logical the block with its co-partitioned tables
     * @param shown the definitions of its tables, by their statements
     * @param database the session's default database; null if there is none
     * @return empty if the rows may depend on more than the data
     */
    static Optional<PartSources> of(
            LogicalStatement statement, LogicalPlan logical, Map<String, Reply> shown, @Nullable String database)
            throws RefusedException {
        String sql = statement.statement().sql();
        StringBuilder definitions = new StringBuilder();
        for (Map.Entry<String, Reply> entry : new TreeMap<>(shown).entrySet()) {
            String text = TableProof.definition(entry.getValue()).orElse("");
            if (namesTime(sql, text)) {
                return Optional.empty();
            }
            definitions.append(NEXT_NUMBER.matcher(text).replaceFirst("")).append('\n');
        }
        Map<String, Integer> ordinals = new HashMap<>();
        Optional<PartitionScheme> scheme = Optional.ofNullable(shown.get(TableProof.statement(logical.split())))
                .flatMap(TableProof::scheme);
        if (scheme.isPresent()) {
            List<PartitionScheme.Definition> partitions = scheme.get().partitions();
            for (int i = 0; i < partitions.size(); i++) {
                ordinals.put(CoPartitions.lower(partitions.get(i).name()), i);
            }
        }
        List<TableName> paired = new ArrayList<>(List.of(TableProof.fullName(logical.split(), database)));
        for (CoPartitionedTable table : logical.coPartitioned()) {
            paired.add(TableProof.fullName(table.table(), database));
        }
        List<TableName> others = new ArrayList<>();
        Set<TableName> cascading = new HashSet<>();
        for (TableRef table : statement.statement().tables()) {
            TableName name = TableProof.fullName(table, database);
            others.add(name);
            Optional<String> definition =
                    Optional.ofNullable(shown.get(TableProof.statement(table))).flatMap(TableProof::definition);
            if (definition.isEmpty() || CASCADE.matcher(definition.get()).find()) {
                cascading.add(name);
            }
        }
        paired.forEach(others::remove);
        return Optional.of(new PartSources(
                definitions.toString().getBytes(StandardCharsets.UTF_8),
                ordinals,
                Set.copyOf(paired),
                cascading,
                Set.copyOf(others)));
    }

    /** Whether a statement may name a column of type TIME of a table with this definition. */
    static boolean namesTime(String sql, String definition) {
        String named = plain(sql);
        return TIME_COLUMN.matcher(definition).results().anyMatch(column -> named.contains(plain(column.group(1))));
    }

    private static String plain(String text) {
        return QUOTES.matcher(text).replaceAll("").toLowerCase(Locale.ROOT);
    }

    /** Returns what the partition query of a part reads. */
    List<Source> of(Part part) {
        List<Source> sources = new ArrayList<>();
        for (TableName table : byPartition) {
            List<Integer> known = part.partitions().stream()
                    .map(Partition::selectName)
                    .map(CoPartitions::lower)
                    .filter(ordinals::containsKey)
                    .map(ordinals::get)
                    .toList();
            if (known.size() < part.partitions().size()) {
                sources.add(whole(table));
            } else {
                // partitioned tables have no foreign keys
                known.forEach(ordinal -> sources.add(new Source(table, false, OptionalInt.of(ordinal))));
            }
        }
        whole.forEach(table -> sources.add(whole(table)));
        return sources;
    }

    private Source whole(TableName table) {
        return new Source(table, cascading.contains(table), OptionalInt.empty());
    }
}
