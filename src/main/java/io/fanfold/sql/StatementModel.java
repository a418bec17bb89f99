package io.fanfold.sql;

import io.fanfold.sql.SelectModel.TableRef;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A statement whose text was read reliably: its blocks and their places. Immutable.
 *
 * @param sql its text, decoded
 * @param hint its PARALLEL / NO_PARALLEL hint
 * @param words its hints without arguments
 * @param hintSpans the spans of those hints, which the server does not get, in order of position
 * @param select the statement as one block; empty if it has set operations
 * @param tables every table named in its text, in order of position; the names' spans index into {@code sql}
 * @param parts the blocks inside it, each before the blocks inside that one
 */
public record StatementModel(
        String sql,
        Hint hint,
        Set<HintWord> words,
        List<TextRange> hintSpans,
        Optional<SelectModel> select,
        List<TableRef> tables,
        List<StatementBlock> parts) {
    public StatementModel {
        words = Set.copyOf(words);
        hintSpans = List.copyOf(hintSpans);
        tables = List.copyOf(tables);
        parts = List.copyOf(parts);
    }

    /** Whether it has a hint without arguments. */
    public boolean has(HintWord word) {
        return words.contains(word);
    }

    /** Returns a part of the text without the hints for Fanfold. */
    public String forServer(TextRange part) {
        StringBuilder text = new StringBuilder();
        int at = part.start();
        for (TextRange span : hintSpans) {
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
     * @param kind its role in the statement
     * @param body the span of its text in the statement, without parentheses around it
     * @param block its model; the spans index into its own text
     * @param names its columns' names in order; empty if a star hides them
     * @param alike for a branch, the columns, from 0, that are a literal or the same expression over the same tables in
     *     every branch. Their collation does not depend on the coercibility in each branch.
     */
    public record StatementBlock(
            BlockKind kind, TextRange body, SelectModel block, Optional<List<String>> names, Set<Integer> alike) {
        public StatementBlock {
            alike = Set.copyOf(alike);
        }

        /** Returns this block in a text that begins {@code by} characters earlier. */
        StatementBlock moved(int by) {
            return new StatementBlock(kind, body.moved(by), block, names, alike);
        }

        /** Returns this block as a branch. */
        StatementBlock branch(Set<Integer> columns) {
            return new StatementBlock(BlockKind.BRANCH, body, block, names, columns);
        }
    }

    /** The role of a block in a statement. */
    public enum BlockKind {
        /** A derived table, or a common table expression. */
        TABLE,
        /** An operand of set operations. */
        BRANCH,
        /** A subquery in an expression. */
        EXPRESSION
    }
}
