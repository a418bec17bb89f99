package io.fanfold.plan;

import io.fanfold.sql.Expr;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.Derived;
import io.fanfold.sql.SelectModel.TablePlace;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.TextRange;
import java.util.Optional;

/**
 * The place of a condition for the split table if it is in a derived table or common table expression: in the WHERE
 * clause of the query that names it, or at the end of this query's FROM clause. Immutable.
 *
 * @param condition the span of that query's own condition in the text of the table's name; empty at the end of FROM if it
 *     has none
 */
record InnerCondition(TextRange condition) {
    /**
     * Finds the place.
     *
     * @param model the block
     * @param text the text that the span of the table's name indexes into: the block's, or that of the WITH clause
     * @return empty if the query is not found
     */
    static Optional<InnerCondition> of(SelectModel model, String text, TableRef split) {
        for (Derived derived : model.derived()) {
            Optional<InnerCondition> found =
                    derived.block().flatMap(block -> inside(block, text, split).or(() -> of(block, text, split)));
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /** The spans of an inner query index into its own text, which is a part of {@code text}. */
    private static Optional<InnerCondition> inside(SelectModel block, String text, TableRef split) {
        return block.tables().stream()
                .filter(table ->
                        table.place() == TablePlace.FROM && table.name().equals(split.name()))
                .map(table -> split.nameSpan().start() - table.nameSpan().start())
                .filter(shift -> shift >= 0 && text.startsWith(block.sql(), shift))
                .findFirst()
                .map(shift -> {
                    TextRange own = block.where()
                            .map(Expr::outer)
                            .orElse(new TextRange(
                                    block.from().end(), block.from().end()));
                    return new InnerCondition(new TextRange(shift + own.start(), shift + own.end()));
                });
    }
}
