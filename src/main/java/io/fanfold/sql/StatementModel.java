package io.fanfold.sql;

import io.fanfold.sql.SelectModel.Hint;
import io.fanfold.sql.SelectModel.TableRef;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A statement that was read faithfully: the blocks in it, and where they stand. Immutable.
 *
 * @param sql its text, decoded
 * @param hint its PARALLEL / NO_PARALLEL hint
 * @param approximate whether it has the hint APPROXIMATE
 * @param unfiltered whether it has the hint NO_DYNAMIC_FILTERS
 * @param hintSpans the spans of those hint comments, which are not for the server, in order of position
 * @param select the statement as one block; empty when it is several with set operations between them
 * @param tables every table that its text names, in order of position; the names' spans index into {@code sql}
 * @param parts the blocks inside it, each before those inside itself
 */
public record StatementModel(
        String sql,
        Hint hint,
        boolean approximate,
        boolean unfiltered,
        List<Span> hintSpans,
        Optional<SelectModel> select,
        List<TableRef> tables,
        List<Part> parts) {
    public StatementModel {
        hintSpans = List.copyOf(hintSpans);
        tables = List.copyOf(tables);
        parts = List.copyOf(parts);
    }

    /** A part of the text without the words for Fanfold in it. */
    public String forServer(Span part) {
        StringBuilder text = new StringBuilder();
        int at = part.start();
        for (Span span : hintSpans) {
            if (part.contains(span)) {
                text.append(sql, at, span.start());
                at = span.end();
            }
        }
        return text.append(sql, at, part.end()).toString();
    }

    /**
     * A block inside a statement.
     *
     * @param kind as what it stands there
     * @param body where its text lies in the statement, without parentheses around it
     * @param block its model; the spans index into its own text
     * @param names its columns' names in order; empty when a star hides them
     * @param alike of a branch the columns, from 0, that are the same expression over the same tables in every branch, or a literal: their
     *     collation does not depend on how firmly each branch has it
     */
    public record Part(Kind kind, Span body, SelectModel block, Optional<List<String>> names, Set<Integer> alike) {
        public Part {
            alike = Set.copyOf(alike);
        }

        /** The same in a text that begins that much earlier. */
        Part moved(int by) {
            return new Part(kind, body.moved(by), block, names, alike);
        }

        /** The same as a branch. */
        Part branch(Set<Integer> columns) {
            return new Part(Kind.BRANCH, body, block, names, columns);
        }
    }

    /** As what a block stands inside a statement. */
    public enum Kind {
        /** A derived table, or a common table expression. */
        TABLE,
        /** One of several with set operations between them. */
        BRANCH,
        /** A subquery in an expression. */
        EXPRESSION
    }
}
