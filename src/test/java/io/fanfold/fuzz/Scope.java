package io.fanfold.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The columns that a block may use, and how they are written. For one block; not thread-safe. */
final class Scope implements Leaves {
    private record Visible(Source source, FuzzColumn column) {}

    private final Dice dice;
    private final List<Source> sources = new ArrayList<>();
    private final List<Visible> columns = new ArrayList<>();
    private boolean ambiguous;

    Scope(Dice dice) {
        this.dice = dice;
    }

    /** @return the table as a source, with the next index in the list of sources, from 0 */
    Source add(FuzzTable table, String alias) {
        Source source = Source.table(table.name(), alias, table.unique());
        add(source, table.columns());
        return source;
    }

    void add(Source source, List<FuzzColumn> visible) {
        for (FuzzColumn column : visible) {
            ambiguous |=
                    columns.stream().anyMatch(other -> other.column().name().equals(column.name()));
            columns.add(new Visible(source, column));
        }
        sources.add(source);
    }

    @Override
    public Optional<Expr> leaf(Family family) {
        return leaf(columns, family);
    }

    /** Returns the columns of one source, by its index in the list of sources. */
    Leaves only(int source) {
        List<Visible> own = columns.stream()
                .filter(one -> one.source().equals(sources.get(source)))
                .toList();
        return family -> leaf(own, family);
    }

    private Optional<Expr> leaf(List<Visible> among, Family family) {
        Family wanted = family == Family.BOOL ? Family.INT : family;
        List<Visible> fitting = among.stream()
                .filter(one -> one.column().type().family() == wanted)
                .toList();
        if (fitting.isEmpty()) {
            return Optional.empty();
        }
        int[] weights = fitting.stream().mapToInt(one -> one.column().weight()).toArray();
        Visible chosen = fitting.get(dice.weighted(weights));
        return Optional.of(column(chosen.source(), chosen.column()));
    }

    /** Returns the unique columns of all sources, which order rows totally; empty if a source has none. */
    List<Expr> unique() {
        List<Expr> unique = new ArrayList<>();
        for (Source source : sources) {
            Optional<Visible> column = columns.stream()
                    .filter(one ->
                            one.source().equals(source) && one.column().name().equals(source.unique()))
                    .findFirst();
            if (column.isEmpty()) {
                return List.of();
            }
            unique.add(column(source, column.get().column()));
        }
        return unique;
    }

    /** Returns any column. */
    Expr any() {
        Visible chosen = dice.oneOf(columns);
        return column(chosen.source(), chosen.column());
    }

    /** Returns a column of the source with this index. */
    Expr of(int source, String name) {
        return columns.stream()
                .filter(one -> one.source().equals(sources.get(source))
                        && one.column().name().equals(name))
                .findFirst()
                .map(one -> column(one.source(), one.column()))
                .orElseThrow(() -> new IllegalStateException("no column " + name));
    }

    private Expr column(Source source, FuzzColumn column) {
        String name = dice.percent(8) ? "`" + column.name() + "`" : column.name();
        name = dice.percent(4) ? name.toUpperCase(Locale.ROOT) : name;
        boolean qualified = ambiguous || dice.percent(25);
        String text = qualified ? source.alias() + "." + name : name;
        return Expr.column(column.type(), source.alias() + "." + column.name(), text);
    }
}
