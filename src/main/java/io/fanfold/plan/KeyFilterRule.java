package io.fanfold.plan;

import io.fanfold.catalog.TableName;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.Expr.ColumnRef;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.Comparison;
import io.fanfold.sql.SelectModel.Conjunct;
import io.fanfold.sql.SelectModel.Equality;
import io.fanfold.sql.SelectModel.TablePlace;
import io.fanfold.sql.SelectModel.TableRef;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the {@link KeyFilter}s of a block. A filter is implied by an inner join {@code t.c = d.k} of the split table
 * {@code t}. A row of {@code t} that joins has a key that the conditions on {@code d} leave, or those on {@code d} and
 * tables joined only to {@code d}.
 *
 * <p>The other conditions are not evaluated for the rows of {@code t} that the filter removes. So these conditions must
 * not be able to raise a warning or an error, which would be lost. For one block and one thread.
 */
final class KeyFilterRule {
    private final LogicalPlan logical;
    private final SelectModel model;
    private final TypeBinding types;
    private final Inputs inputs;
    private final List<KeyFilter> found = new ArrayList<>();
    private final List<String> refused = new ArrayList<>();

    private KeyFilterRule(LogicalPlan logical, TypeBinding types) {
        this.logical = logical;
        this.model = logical.model();
        this.types = types;
        this.inputs = new Inputs(logical.inputs());
    }

    /** Returns a plan with the inputs that show which tables the columns of its conditions belong to. */
    static LogicalPlan logical(LogicalPlan logical) {
        SelectModel model = logical.model();
        boolean joins = logical.split().place() == TablePlace.FROM
                && tables(model).count() > 1
                && !model.using()
                && model.comparisons().isPresent()
                && conditions(model) > equalities(model)
                && equalities(model) > 0;
        if (!joins) {
            return logical;
        }
        Inputs inputs = new Inputs(logical.inputs());
        for (Conjunct conjunct : model.conjuncts()) {
            conjunct.columns().forEach(column -> inputs.type(column.span().of(model.sql())));
        }
        for (Comparison comparison : model.comparisons().get()) {
            comparison.columns().forEach(column -> inputs.type(column.of(model.sql())));
        }
        return logical.filtered(inputs.list());
    }

    private static long conditions(SelectModel model) {
        return model.conjuncts().stream()
                .filter(conjunct ->
                        conjunct.chooses().isEmpty() && !conjunct.columns().isEmpty())
                .count();
    }

    private static long equalities(SelectModel model) {
        return model.equalities().stream()
                .filter(equality -> equality.chooses().isEmpty())
                .count();
    }

    private static Stream<TableRef> tables(SelectModel model) {
        return model.tables().stream().filter(table -> table.place() == TablePlace.FROM);
    }

    /** Returns the filters of a plan, using the types that the server reported for its inputs. */
    static KeyFilters proven(LogicalPlan logical, TypeBinding types) {
        return logical.filtered() ? new KeyFilterRule(logical, types).filters() : KeyFilters.NONE;
    }

    private KeyFilters filters() {
        for (Comparison comparison : model.comparisons().orElseThrow()) {
            List<Column> columns = comparison.columns().stream()
                    .map(column -> type(column.of(model.sql())))
                    .toList();
            if (!WarningFreeRows.certain(comparison, columns)) {
                return new KeyFilters(
                        List.of(), List.of("a condition on " + columns.get(0).name() + " may raise a warning"));
            }
        }
        for (Equality equality : model.equalities()) {
            if (equality.chooses().isEmpty()) {
                joined(equality.left(), equality.right());
                joined(equality.right(), equality.left());
            }
        }
        return new KeyFilters(found, refused);
    }

    private Column type(String column) {
        return types.of(inputs.type(column));
    }

    private String text(ColumnRef column) {
        return column.span().of(model.sql());
    }

    /** Returns the table of the FROM clause that a column belongs to, as the server reported. */
    private Optional<TableRef> owner(ColumnRef column) {
        Column known = type(text(column));
        return known.computed()
                ? Optional.empty()
                : tables(model)
                        .filter(table -> table.shownName().equalsIgnoreCase(known.table()))
                        .findFirst();
    }

    private boolean splits(TableRef table) {
        return table.nameSpan().equals(logical.split().nameSpan());
    }

    /** Adds the filters that an equality implies for its left side, if this is a column of the split table. */
    private void joined(ColumnRef column, ColumnRef key) {
        Optional<TableRef> dimension = owner(key).filter(table -> !splits(table));
        if (owner(column).filter(this::splits).isEmpty() || dimension.isEmpty()) {
            return;
        }
        String name = text(column) + " = " + text(key);
        if (dimension.get().nullable()) {
            refused.add(name + ": " + dimension.get().shownName() + " may be missing from a row");
        } else if (!comparesAlike(type(text(column)), type(text(key)))) {
            refused.add(name + ": " + type(text(column)).type() + " and "
                    + type(text(key)).type());
        } else {
            filters(column, key, dimension.get());
        }
    }

    /**
     * Whether a literal of a key compares with the column like the key itself: integers of any width and sign, or
     * dates.
     */
    private static boolean comparesAlike(Column column, Column key) {
        boolean dates = column.type() == ColumnType.DATE && key.type() == ColumnType.DATE;
        return dates || whole(column) && whole(key);
    }

    private static boolean whole(Column column) {
        return column.type().isInteger() && column.type() != ColumnType.YEAR;
    }

    private void filters(ColumnRef column, ColumnRef key, TableRef dimension) {
        Set<TableRef> scope = scope(dimension);
        boolean own = conditioned(dimension);
        if (scope.size() > 1) {
            found.add(filter(column, key, dimension, scope));
        }
        if (own) {
            found.add(filter(column, key, dimension, Set.of(dimension)));
        }
    }

    /**
     * Returns the dimension and the tables joined only to it, as far as conditions on them reduce the keys. A table
     * joined to the split table itself is a dimension of its own.
     */
    private Set<TableRef> scope(TableRef dimension) {
        Set<TableRef> scope = new LinkedHashSet<>(List.of(dimension));
        for (List<TableRef> more = List.of(dimension); !more.isEmpty(); ) {
            more = more.stream()
                    .flatMap(this::neighbours)
                    .filter(table -> !splits(table) && !scope.contains(table))
                    .filter(table -> neighbours(table).noneMatch(this::splits))
                    .distinct()
                    .toList();
            scope.addAll(more);
        }
        while (scope.removeIf(table -> !table.equals(dimension) && !conditioned(table) && ends(table, scope))) {
            // when a table at the end is removed, its neighbour may become the end
        }
        return scope;
    }

    private boolean ends(TableRef table, Set<TableRef> scope) {
        return neighbours(table).filter(scope::contains).distinct().count() < 2;
    }

    /** Returns the tables with a column that equals a column of this table in every row. */
    private Stream<TableRef> neighbours(TableRef table) {
        return model.equalities().stream()
                .filter(equality -> equality.chooses().isEmpty())
                .flatMap(equality -> Stream.of(
                        neighbour(table, equality.left(), equality.right()),
                        neighbour(table, equality.right(), equality.left())))
                .flatMap(Optional::stream);
    }

    private Optional<TableRef> neighbour(TableRef table, ColumnRef own, ColumnRef other) {
        return owner(own).filter(table::equals).isEmpty()
                ? Optional.empty()
                : owner(other).filter(neighbour -> !neighbour.equals(table) && !neighbour.nullable());
    }

    /** Whether a condition is on this table alone. */
    private boolean conditioned(TableRef table) {
        return within(Set.of(table)).findAny().isPresent();
    }

    /** Returns the conditions that are true for every row and use only columns of these tables. */
    private Stream<Conjunct> within(Set<TableRef> scope) {
        return model.conjuncts().stream()
                .filter(conjunct ->
                        conjunct.chooses().isEmpty() && !conjunct.columns().isEmpty())
                .filter(conjunct -> conjunct.columns().stream()
                        .allMatch(
                                column -> owner(column).filter(scope::contains).isPresent()));
    }

    private KeyFilter filter(ColumnRef column, ColumnRef key, TableRef dimension, Set<TableRef> scope) {
        String from = scope.stream().map(this::written).collect(Collectors.joining(", "));
        String where = within(scope)
                .map(conjunct -> "(" + conjunct.span().of(model.sql()) + ")")
                .collect(Collectors.joining(" AND "));
        return new KeyFilter(
                text(column),
                type(text(column)),
                dimension.shownName(),
                "SELECT DISTINCT " + text(key) + " FROM " + from + " WHERE " + where,
                "SELECT " + text(key) + " FROM " + written(dimension));
    }

    /** Returns a table as written in the FROM clause, without index hints. */
    private String written(TableRef table) {
        String partitions = table.partitions()
                .map(clause -> " " + clause.span().of(model.sql()))
                .orElse("");
        String alias = table.alias() == null ? "" : " AS " + TableName.quote(table.alias());
        return table.nameSpan().of(model.sql()) + partitions + alias;
    }
}
