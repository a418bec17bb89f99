package io.fanfold.plan;

import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SqlWords;
import java.util.List;
import java.util.function.Function;

/**
 * SQL text with placeholders for merged columns: spliced original text around references. Immutable.
 *
 * @param pieces in order
 */
public record Template(List<Piece> pieces) {
    public Template {
        pieces = List.copyOf(pieces);
    }

    /** Returns the text with every reference rendered. */
    public String render(Function<Ref, String> references) {
        StringBuilder sql = new StringBuilder();
        for (Piece piece : pieces) {
            if (piece instanceof Text text) {
                sql.append(text.sql());
            } else if (piece instanceof Position position) {
                sql.append(position.item() + 1);
            } else if (piece instanceof Ref ref) {
                sql.append(references.apply(ref));
            }
        }
        return sql.toString();
    }

    /** Returns the words of the text around the references. */
    SqlWords words(SelectModel model) {
        return model.words(render(reference -> "`ff`"));
    }

    /** Whether the template is a single reference. */
    public boolean bare() {
        return pieces.size() == 1 && pieces.get(0) instanceof Ref;
    }

    /** Whether all references are to grouping keys. */
    public boolean ofKeys() {
        return pieces.stream().allMatch(piece -> !(piece instanceof Ref) || piece instanceof KeyRef);
    }

    /** Whether the template is a single merged column, not a quotient of two. */
    public boolean mergedColumn() {
        return bare() && !(pieces.get(0) instanceof QuotientRef);
    }

    /** A part of a template. */
    public sealed interface Piece {}

    /** Text of the original statement, or alias and punctuation around it. */
    public record Text(String sql) implements Piece {}

    /** The position of an item of the select list, counted from 0, as an element of ORDER BY. */
    public record Position(int item) implements Piece {}

    /** A placeholder. */
    public sealed interface Ref extends Piece {}

    /** The value of a grouping key, counted from 0. */
    public record KeyRef(int key) implements Ref {}

    /** The value of an aggregate, counted from 0. */
    public record AggregateRef(int aggregate) implements Ref {}

    /** The quotient of two aggregates: AVG. */
    public record QuotientRef(int sumIndex, int countIndex) implements Ref {}
}
