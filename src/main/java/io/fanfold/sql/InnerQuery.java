package io.fanfold.sql;

import io.fanfold.sql.SelectModel.Derived;
import io.fanfold.sql.SelectModel.Place;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.StatementModel.Kind;
import io.fanfold.sql.StatementModel.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A query that was read by itself: a block, or several with set operations between them. Immutable.
 *
 * @param text where its text lies in that of the query around it; of a common table expression in the statement
 * @param blocks the block, or those between which the set operations stand
 * @param names its columns' names in order, a-z in lower case; empty when a star hides them
 * @param openAnswer why the server may answer it in more than one way; empty when it has one answer
 * @param tables all table instances that it reads, see {@link SelectModel#tables}
 * @param named the tables that its own text names, the names' spans in that text
 * @param parts the blocks inside it, their places in its own text
 * @param common the common table expressions it reads, with those that they read, each as often as it is read
 */
record InnerQuery(
        Span text,
        List<SelectModel> blocks,
        Optional<List<String>> names,
        Optional<String> openAnswer,
        List<TableRef> tables,
        List<TableRef> named,
        List<Part> parts,
        List<String> common) {
    InnerQuery {
        blocks = List.copyOf(blocks);
        tables = List.copyOf(tables);
        named = List.copyOf(named);
        parts = List.copyOf(parts);
        common = List.copyOf(common);
    }

    /** The block, when it is only one. */
    Optional<SelectModel> block() {
        return blocks.size() == 1 ? Optional.of(blocks.get(0)) : Optional.empty();
    }

    /** Its tables as tables of the block around it, where it stands in an expression. */
    List<TableRef> tablesOfExpression() {
        return placed(tables, Place.SUBQUERY, false, 0);
    }

    /**
     * Its tables as tables of the block around it, where it stands in the FROM clause. Selecting and joining commute with
     * taking a table's rows apart; grouping, sorting and limiting do not.
     *
     * @param place what the tables of a block that only selects and joins are
     * @param nullable whether it stands on the nullable side of an outer join
     */
    List<TableRef> tablesOfRelation(Place place, boolean nullable) {
        return placed(
                tables, block().map(SelectModel::plain).orElse(false) ? place : Place.SUBQUERY, nullable, text.start());
    }

    private static List<TableRef> placed(List<TableRef> tables, Place place, boolean nullable, int by) {
        List<TableRef> placed = new ArrayList<>();
        for (TableRef table : tables) {
            boolean stays = place == Place.SUBQUERY || table.place() == Place.SUBQUERY || table.place() == Place.WITH;
            Place itself = place == Place.SUBQUERY || table.place() == Place.SUBQUERY
                    ? Place.SUBQUERY
                    : table.place() == Place.WITH ? Place.WITH : place;
            placed.add((stays ? table : table.moved(by)).at(itself, nullable || table.nullable()));
        }
        return placed;
    }

    /** The tables that its own text names, as they lie in the text around it. */
    List<TableRef> namedAround() {
        return named.stream().map(table -> table.moved(text.start())).toList();
    }

    /** Itself, where it is one block, and the blocks inside it, as they lie in the text around it. */
    List<Part> partsAround(Kind kind) {
        List<Part> around = new ArrayList<>();
        block().ifPresent(own -> around.add(new Part(kind, text, own, names, Set.of())));
        parts.forEach(part -> around.add(part.moved(text.start())));
        return around;
    }

    /**
     * What the FROM clause around it sees of it.
     *
     * @param columns the names of its columns there
     */
    Derived derived(String alias, Optional<List<String>> columns) {
        return new Derived(alias, columns, block(), openAnswer);
    }
}
