package io.fanfold.sql;

import io.fanfold.sql.SelectModel.SelectItem;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.StatementModel.BlockKind;
import io.fanfold.sql.StatementModel.StatementBlock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Combines queries with set operations into one. An instance builds one query. */
final class UnionBuilder {
    private final TextRange text;
    private final List<InnerQuery> branches = new ArrayList<>();
    private Optional<String> openAnswer = Optional.empty();

    /**
     * @param text the span of their whole text in that of the enclosing query
     */
    UnionBuilder(TextRange text) {
        this.text = text;
    }

    void add(InnerQuery branch) {
        branches.add(branch);
        openAnswer = openAnswer.or(branch::openAnswer);
    }

    /** Adds the tail after all queries, read as the tail of a block. */
    void tail(SelectModel block) {
        if (block.limit().isPresent()) {
            openAnswer = openAnswer.or(() -> Optional.of("a set operation with LIMIT"));
        }
    }

    InnerQuery query() {
        List<SelectModel> blocks = new ArrayList<>();
        List<TableRef> tables = new ArrayList<>();
        List<TableRef> named = new ArrayList<>();
        List<String> common = new ArrayList<>();
        for (InnerQuery branch : branches) {
            blocks.addAll(branch.blocks());
            tables.addAll(branch.tablesOfExpression());
            named.addAll(branch.namedAround());
            common.addAll(branch.common());
        }
        Set<Integer> alike = alike(blocks);
        List<StatementBlock> parts = new ArrayList<>();
        for (InnerQuery branch : branches) {
            for (StatementBlock part : branch.partsAround(BlockKind.BRANCH)) {
                boolean own = part.kind() == BlockKind.BRANCH && blocks.contains(part.block());
                parts.add(own ? part.branch(alike) : part);
            }
        }
        return new InnerQuery(text, blocks, branches.get(0).names(), openAnswer, tables, named, parts, common);
    }

    /**
     * Returns the columns that are literals, or the same expression over the same tables. Over other tables, the names
     * might be columns of other types.
     */
    private static Set<Integer> alike(List<SelectModel> blocks) {
        Set<Integer> alike = new HashSet<>();
        int columns = blocks.get(0).items().size();
        boolean comparable = blocks.stream()
                .allMatch(block -> block.items().size() == columns
                        && block.items().stream().noneMatch(item -> item.expr().kind() == Expr.ExprKind.STAR));
        for (int i = 0; comparable && i < columns; i++) {
            Set<String> different = new HashSet<>();
            for (SelectModel block : blocks) {
                SelectItem item = block.items().get(i);
                if (item.expr().kind() != Expr.ExprKind.LITERAL && item.expr().kind() != Expr.ExprKind.INTEGER) {
                    different.add(item.expr().tokens() + " " + tables(block));
                }
            }
            if (different.size() <= 1) {
                alike.add(i);
            }
        }
        return alike;
    }

    private static String tables(SelectModel block) {
        return block.tables().stream()
                .map(table -> table.schema() + "." + table.name())
                .collect(Collectors.joining(" "));
    }
}
