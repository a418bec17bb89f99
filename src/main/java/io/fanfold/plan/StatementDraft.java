package io.fanfold.plan;

import io.fanfold.config.FanOutConfig;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.Span;
import io.fanfold.sql.StatementModel;
import io.fanfold.sql.StatementModel.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What is split of a statement, as far as the text alone tells. Immutable.
 *
 * @param statement the whole statement
 * @param blocks the statement itself as one block without a frame, or blocks inside it, each with its frame, in order
 *     of position; at least one
 */
public record StatementDraft(StatementModel statement, List<SplitDraft> blocks) implements SplitDecision {
    private static final Pattern JSON_AGGREGATE = Pattern.compile("JSON_(ARRAY|OBJECT)AGG", Pattern.CASE_INSENSITIVE);

    private static final Pattern SUM = Pattern.compile("\\b(SUM|AVG)\\b", Pattern.CASE_INSENSITIVE);

    public StatementDraft {
        blocks = List.copyOf(blocks);
        if (blocks.isEmpty() || blocks.size() > 1 && blocks.get(0).frame().isEmpty()) {
            throw new IllegalArgumentException("blocks inside a statement, or one that is it");
        }
    }

    /** Whether the server has to run a statement around the folded blocks. */
    public boolean framed() {
        return blocks.get(0).frame().isPresent();
    }

    /**
     * Whether MySQL explains the whole statement without running any of the blocks: it runs what has one row, and what
     * is compared with.
     */
    public boolean explainedUnrun() {
        return blocks.stream()
                .allMatch(block -> block.frame().isEmpty()
                        || block.frame().get().kind() == Kind.TABLE
                                && block.shape() instanceof SplitDraft.Aggregation shape
                                && shape.grouped());
    }

    /**
     * Whether JSON may be made of values that were carried into a finish query, where MariaDB does not know any more which texts
     * are JSON themselves.
     */
    public boolean makesJson() {
        boolean gathered = blocks.stream()
                .anyMatch(block -> block.shape() instanceof SplitDraft.Aggregation shape
                        && shape.gathered().isPresent());
        return (framed() || gathered) && JSON_AGGREGATE.matcher(statement.sql()).find();
    }

    /** Whether approximate answers are allowed for all that is split. */
    boolean approximate() {
        return blocks.stream().allMatch(block -> block.model().approximate());
    }

    /**
     * Whether the server makes sums of its own around folded blocks: of approximate numbers they depend on the order of the
     * rows, and that on a plan which may be another one there. False where approximate answers are allowed.
     */
    public boolean sumsOutside() {
        return framed()
                && !approximate()
                && texts().stream().anyMatch(text -> SUM.matcher(text).find());
    }

    /** Names that a table of the statement must not have as columns, see {@link SplitDraft#notColumns}. */
    public Set<String> notColumnsOf(TableRef table) {
        Set<String> names = new HashSet<>();
        blocks.forEach(block -> names.addAll(block.notColumnsOf(table)));
        return names;
    }

    /** Whether a table is one of those that are split. */
    public boolean splits(TableRef table) {
        return blocks.stream()
                .map(SplitDraft::split)
                .anyMatch(split -> split.name().equals(table.name()) && Objects.equals(split.schema(), table.schema()));
    }

    /** What the settings say of all that is split. */
    public FanOutConfig settings(NamedTables tables) {
        return tables.settings(blocks.stream().map(SplitDraft::split).toList(), statement.tables());
    }

    /** The same with some of its blocks, at least one. */
    public StatementDraft with(List<SplitDraft> some) {
        return new StatementDraft(statement, some);
    }

    /** Whether a table is named outside the folded blocks, so that the rest of the statement reads it. */
    boolean leaves(TableRef table) {
        return bodies().stream().noneMatch(body -> body.contains(table.nameSpan()));
    }

    private List<Span> bodies() {
        return blocks.stream()
                .flatMap(block -> block.frame().stream())
                .map(SplitDraft.Frame::body)
                .toList();
    }

    /** The statement's text before, between and behind the folded blocks: one more than there are blocks. */
    List<String> texts() {
        List<String> texts = new ArrayList<>();
        if (!framed()) {
            // the subqueries that are left to the finish query may use the WITH clause
            SelectModel model = blocks.get(0).model();
            return List.of(model.shown().isEmpty() ? "" : model.with(), "");
        }
        int at = 0;
        for (Span body : bodies()) {
            texts.add(statement.forServer(new Span(at, body.start())));
            at = body.end();
        }
        texts.add(statement.forServer(new Span(at, statement.sql().length())));
        return texts;
    }

    /** Whether the rest of the statement, or what is left of a block, reads tables. */
    boolean readsTables() {
        boolean shown = blocks.stream().anyMatch(block -> !block.model().shown().isEmpty());
        return shown || framed() && statement.tables().stream().anyMatch(this::leaves);
    }
}
