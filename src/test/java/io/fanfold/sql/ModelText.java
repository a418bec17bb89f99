package io.fanfold.sql;

import io.fanfold.sql.Expr.AggregateCall;
import java.util.List;

/** Prints a model with all its spans as text, for golden files. */
final class ModelText {
    private final SelectModel model;
    private final StringBuilder text = new StringBuilder();

    private ModelText(SelectModel model) {
        this.model = model;
    }

    static String of(SelectModel model) {
        return new ModelText(model).print();
    }

    private String print() {
        if (!(model.hint() instanceof Hint.None)) {
            line("hint " + model.hint() + " drop "
                    + model.hintSpans().stream().map(this::cut).toList());
        }
        if (model.approximate()) {
            line("approximate");
        }
        if (!model.serverHints().isEmpty()) {
            line("server hints " + model.serverHints());
        }
        if (model.straightJoin()) {
            line("straight join");
        }
        line("list " + (model.distinct() ? "distinct " : "") + cut(model.selectList()));
        for (SelectModel.SelectItem item : model.items()) {
            line("item " + cut(item.span()) + (item.alias() == null ? "" : " alias " + item.alias()));
            expr(item.expr());
        }
        line("from " + (model.using() ? "(using) " : "") + cut(model.from()));
        for (SelectModel.TableRef table : model.tables()) {
            line("table " + cut(table.nameSpan()) + " = " + table.schema() + "/" + table.name()
                    + (table.alias() == null ? "" : " alias " + table.alias()) + (table.nullable() ? " nullable" : "")
                    + table.partitions()
                            .map(clause -> " partitions " + clause.names() + " by " + cut(clause.span()))
                            .orElse(""));
        }
        model.where().ifPresent(expr -> clause("where", expr));
        model.groupBy().forEach(expr -> clause("group", expr));
        if (model.rollup()) {
            line("rollup");
        }
        model.having().ifPresent(expr -> clause("having", expr));
        for (SelectModel.OrderItem item : model.orderBy()) {
            clause("order " + cut(item.span()) + (item.descending() ? " descending" : ""), item.expr());
        }
        model.limit()
                .ifPresent(limit -> line("limit " + limit.offset() + "+" + limit.count() + " " + cut(limit.span())));
        return text.toString().strip();
    }

    private void clause(String name, Expr expr) {
        line(name);
        expr(expr);
    }

    private void expr(Expr expr) {
        line("  " + expr.kind() + " " + expr.tokens());
        if (!expr.columns().isEmpty() && expr.kind() != Expr.ExprKind.COLUMN) {
            line("    columns "
                    + expr.columns().stream()
                            .map(column -> (column.qualifier() == null ? "" : column.qualifier() + ".") + column.name()
                                    + "@" + cut(column.span()))
                            .toList());
        }
        for (AggregateCall call : expr.aggregates()) {
            line("    " + call.function() + (call.distinct() ? " distinct" : "") + " " + cut(call.span())
                    + " arguments " + list(call.arguments()) + call.argumentTokens()
                    + (call.sortedBy().isEmpty() ? "" : " by " + call.sortedBy()) + " in " + expr.enclosing(call));
        }
        for (Expr.WindowCall call : expr.windows()) {
            line("    window " + call.function() + " " + cut(call.span()) + " arguments " + list(call.arguments()));
        }
    }

    private List<String> list(List<Expr> exprs) {
        return exprs.stream().map(expr -> cut(expr.outer())).toList();
    }

    private String cut(TextRange span) {
        return span.of(model.sql()).replaceAll("\\s+", " ");
    }

    private void line(String line) {
        text.append(line).append('\n');
    }
}
