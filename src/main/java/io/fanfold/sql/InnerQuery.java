package io.fanfold.sql;

import io.fanfold.sql.SelectModel.Derived;
import io.fanfold.sql.SelectModel.TablePlace;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.StatementModel.BlockKind;
import io.fanfold.sql.StatementModel.StatementBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A query that was read separately: a block, or several with set operations. Immutable.
 *
 * @param text the span of its text in that of the enclosing query; for a common table expression, in the statement
 * @param blocks the block, or the operands of the set operations
 * @param names its columns' names in order, a-z in lower case; empty if a star hides them
 * @param openAnswer why the server may return more than one answer; empty if the answer is unique
 * @param tables all table instances that it reads, see {@link SelectModel#tables}
 * @param named the tables named in its own text, with the names' spans in that text
 * @param parts the blocks inside it, with their places in its own text
 * @param common the common table expressions it reads, directly and indirectly, each as often as it is read
 */
record InnerQuery(
        TextRange text,
        List<SelectModel> blocks,
        Optional<List<String>> names,
        Optional<String> openAnswer,
        List<TableRef> tables,
        List<TableRef> named,
        List<StatementBlock> parts,
        List<String> common) {
    InnerQuery {
        blocks = List.copyOf(blocks);
        tables = List.copyOf(tables);
        named = List.copyOf(named);
        parts = List.copyOf(parts);
        common = List.copyOf(common);
    }

    /** Returns the block, if there is only one. */
    Optional<SelectModel> block() {
        return blocks.size() == 1 ? Optional.of(blocks.get(0)) : Optional.empty();
    }

    /** Returns its tables as tables of the enclosing block, for a query in an expression. */
    List<TableRef> tablesOfExpression() {
        return placed(tables, TablePlace.SUBQUERY, false, 0);
    }

    /**
     * Returns its tables as tables of the enclosing block, for a query in the FROM clause. Selecting and joining
     * commute with splitting a table's rows; grouping, sorting and limiting do not.
     *
     * @param place the place of the tables if the block only selects and joins
     * @param nullable whether it is on the nullable side of an outer join
     */
    List<TableRef> tablesOfRelation(TablePlace place, boolean nullable) {
        return placed(
                tables,
                block().map(SelectModel::plain).orElse(false) ? place : TablePlace.SUBQUERY,
                nullable,
                text.start());
    }

    private static List<TableRef> placed(List<TableRef> tables, TablePlace place, boolean nullable, int by) {
        List<TableRef> placed = new ArrayList<>();
        for (TableRef table : tables) {
            boolean stays = place == TablePlace.SUBQUERY
                    || table.place() == TablePlace.SUBQUERY
                    || table.place() == TablePlace.WITH;
            TablePlace itself = place == TablePlace.SUBQUERY || table.place() == TablePlace.SUBQUERY
                    ? TablePlace.SUBQUERY
                    : table.place() == TablePlace.WITH ? TablePlace.WITH : place;
            placed.add((stays ? table : table.moved(by)).at(itself, nullable || table.nullable()));
        }
        return placed;
    }

    /** Returns the tables named in its own text, with their places in the enclosing text. */
    List<TableRef> namedAround() {
        return named.stream().map(table -> table.moved(text.start())).toList();
    }

    /** Returns the block, if there is only one, and the blocks inside it, with their places in the enclosing text. */
    List<StatementBlock> partsAround(BlockKind kind) {
        List<StatementBlock> around = new ArrayList<>();
        block().ifPresent(own -> around.add(new StatementBlock(kind, text, own, names, Set.of())));
        parts.forEach(part -> around.add(part.moved(text.start())));
        return around;
    }

    /**
     * Returns it as the enclosing FROM clause sees it.
     *
     * @param columns the names of its columns there
     */
    Derived derived(String alias, Optional<List<String>> columns) {
        return new Derived(alias, columns, block(), openAnswer);
    }
}
