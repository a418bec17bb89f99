package io.fanfold.plan;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.CatalogTable;
import io.fanfold.catalog.Partitioning;
import io.fanfold.catalog.TableName;
import io.fanfold.plan.CoPartitionedTable.Pair;
import io.fanfold.sql.Expr.ColumnRef;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.Equality;
import io.fanfold.sql.SelectModel.TablePlace;
import io.fanfold.sql.SelectModel.TableRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the {@link CoPartitionedTable}s of a block in three steps: by the text and the catalog, by the definitions that the
 * server shows in the workers' snapshot, and by the types of the columns. Other tables are read entirely. Stateless.
 */
final class PartitionWiseJoins {
    private PartitionWiseJoins() {}

    /** Returns a plan with the candidates for co-partitioned tables. */
    static LogicalPlan logical(LogicalPlan logical, @Nullable String schema, CatalogSnapshot catalog) {
        SelectModel model = logical.model();
        Optional<CatalogTable> split = NamedTables.found(logical.split(), schema, catalog);
        if (logical.split().place() != TablePlace.FROM || split.isEmpty()) {
            return logical;
        }
        Inputs inputs = new Inputs(logical.inputs());
        List<CoPartitionedTable> coPartitioned = new ArrayList<>();
        for (TableRef table : model.tables()) {
            boolean joined = table.place() == TablePlace.FROM
                    && table.partitions().isEmpty()
                    && !table.nameSpan().equals(logical.split().nameSpan());
            Optional<CatalogTable> other = joined ? NamedTables.found(table, schema, catalog) : Optional.empty();
            if (other.isPresent() && alike(split.get(), other.get())) {
                List<Pair> pairs = pairs(logical, columns(split.get()), table, columns(other.get()), inputs);
                if (pairs.size() == columns(other.get()).size()) {
                    coPartitioned.add(new CoPartitionedTable(table, pairs, Map.of()));
                }
            }
        }
        return coPartitioned.isEmpty() ? logical : logical.with(inputs.list(), coPartitioned);
    }

    private static List<String> columns(CatalogTable table) {
        return table.partitioning().orElseThrow().columns();
    }

    /** Returns the pairs of partitioning columns that are equal, according to the text. */
    private static List<Pair> pairs(
            LogicalPlan logical, List<String> split, TableRef table, List<String> own, Inputs inputs) {
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < own.size(); i++) {
            pair(
                            logical.model(),
                            new JoinColumn(logical.split(), split.get(i)),
                            new JoinColumn(table, own.get(i)),
                            inputs)
                    .ifPresent(pairs::add);
        }
        return pairs;
    }

    private static boolean alike(CatalogTable one, CatalogTable other) {
        Optional<Partitioning> partitioning = one.partitioning();
        return partitioning.isPresent()
                && other.partitioning().isPresent()
                && partitioning.get().alike(other.partitioning().get())
                && one.partitions().size() == other.partitions().size();
    }

    /** A column of a table, by the names in the text. */
    private record JoinColumn(TableRef table, String name) {
        /** Whether a name may mean this column. An unqualified name does if the server does not find it ambiguous. */
        boolean mayBe(ColumnRef reference, SelectModel model) {
            String qualifier = reference.qualifier();
            return reference.name().equalsIgnoreCase(name)
                    && (qualifier == null ? !model.using() : qualifier.equals(table.shownName()));
        }

        /** Returns the input that the server resolves to the column that a name means. */
        PartitioningColumn input(ColumnRef reference, Inputs inputs) {
            String qualifier = reference.qualifier() == null ? "" : TableName.quote(table.shownName()) + ".";
            return new PartitioningColumn(inputs.type(qualifier + TableName.quote(reference.name())), name);
        }
    }

    private static Optional<Pair> pair(SelectModel model, JoinColumn split, JoinColumn own, Inputs inputs) {
        for (Equality equality : model.equalities()) {
            ColumnRef left = equality.left();
            ColumnRef right = equality.right();
            if (equality.chooses(own.table()) && split.mayBe(left, model) && own.mayBe(right, model)) {
                return Optional.of(new Pair(split.input(left, inputs), own.input(right, inputs)));
            }
            if (equality.chooses(own.table()) && split.mayBe(right, model) && own.mayBe(left, model)) {
                return Optional.of(new Pair(split.input(right, inputs), own.input(left, inputs)));
            }
        }
        return Optional.empty();
    }

    /** Returns the co-partitioned tables of which each partition query needs to read only one partition. */
    static List<CoPartitionedTable> proven(LogicalPlan logical, TypeBinding types) {
        return logical.coPartitioned().stream()
                .filter(coPartitioned -> !coPartitioned.partitions().isEmpty())
                .filter(coPartitioned -> coPartitioned.columns().stream()
                        .allMatch(pair -> types.is(pair.split(), logical.split())
                                && types.is(pair.own(), coPartitioned.table())
                                && types.partitionedAlike(
                                        pair.split().input(), pair.own().input())))
                .toList();
    }
}
