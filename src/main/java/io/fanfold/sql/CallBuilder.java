package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Expr.OrderKey;
import io.fanfold.sql.FunctionFacts.CallForm;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import net.sf.jsqlparser.expression.AnalyticExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.ExtractExpression;
import net.sf.jsqlparser.expression.Function;
import net.sf.jsqlparser.expression.JsonAggregateFunction;
import net.sf.jsqlparser.expression.TimeKeyExpression;
import net.sf.jsqlparser.expression.TrimFunction;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.statement.select.OrderByElement;
import org.jspecify.annotations.Nullable;

/**
 * Builds the {@link Expr} of one call of a function, aggregate or window function. An instance serves one expression
 * once.
 */
final class CallBuilder {
    private final Operands operands;
    private final TokenList list;
    private final TokenCursor cursor;
    private final FunctionReader functions;
    private boolean aggregatesAllowed;
    private boolean inWindow;

    CallBuilder(WordLists words, Operands operands, boolean aggregatesAllowed) {
        this.operands = operands;
        this.list = operands.list();
        this.cursor = operands.cursor();
        this.functions = new FunctionReader(list, words);
        this.aggregatesAllowed = aggregatesAllowed;
    }

    Expr trim(TrimFunction node) throws RefusedException {
        if (node.getFromExpression() != null && !node.isUsingFromKeyword()) {
            throw operands.refusal("TRIM with a comma");
        }
        functions.checkCall("TRIM", operands.span(node));
        int from = cursor.at();
        cursor.require("TRIM");
        cursor.require("(");
        if (node.getTrimSpecification() != null) {
            cursor.take();
        }
        List<Expr> arguments = new ArrayList<>();
        if (node.getExpression() != null) {
            arguments.add(operands.visit(node.getExpression()));
        }
        if (node.getFromExpression() != null) {
            cursor.require("FROM");
            arguments.add(operands.visit(node.getFromExpression()));
        }
        cursor.require(")");
        return new Expr.Call(cursor.from(from), "TRIM", arguments, Optional.empty());
    }

    Expr extract(ExtractExpression node) throws RefusedException {
        int from = cursor.at();
        cursor.require("EXTRACT");
        cursor.require("(");
        String unit = cursor.take().text();
        cursor.require("FROM");
        Expr value = operands.visit(node.getExpression());
        cursor.require(")");
        return new Expr.Call(cursor.from(from), "EXTRACT", List.of(value), Optional.of(unit));
    }

    Expr moment(TimeKeyExpression node) throws RefusedException {
        String written = node.getStringValue().toUpperCase(Locale.ROOT);
        String word = written.endsWith("()") ? written.substring(0, written.length() - 2) : written;
        if (!WordLists.hasForm(word, CallForm.BARE)) {
            throw new RefusedException(Reason.UNKNOWN_FUNCTION, node.getStringValue());
        }
        int from = cursor.at();
        Token name = cursor.take();
        if (cursor.skip("(")) {
            cursor.require(")");
        }
        return new Expr.Call(cursor.from(from), name.text(), List.of(), Optional.empty());
    }

    Expr function(Function node) throws RefusedException {
        TextRange span = operands.span(node);
        String name = functions.check(node, span);
        if (!WordLists.aggregate(name)) {
            return scalar(node, name);
        }
        if (!aggregatesAllowed) {
            throw RefusedException.at(
                    Reason.UNSUPPORTED_SYNTAX, "an aggregate in the wrong place: " + name, span.start());
        }
        functions.checkAggregate(node, name, span);
        boolean rows = functions.countsRows(node);
        List<Expression> arguments = rows ? List.of() : arguments(functions.argumentLists(node));
        return aggregate(name, rows, arguments, node.getOrderByElements());
    }

    Expr jsonAggregate(JsonAggregateFunction node) throws RefusedException {
        TextRange span = operands.span(node);
        String name = list.at(list.startingAt(span.start())).text();
        if (!aggregatesAllowed || !WordLists.aggregate(name)) {
            throw RefusedException.at(
                    Reason.UNSUPPORTED_SYNTAX, "an aggregate in the wrong place: " + name, span.start());
        }
        functions.checkAggregate(node, name, span);
        return aggregate(name, false, FunctionReader.jsonArguments(node), node.getExpressionOrderByElements());
    }

    private Expr aggregate(String name, boolean rows, List<Expression> arguments, @Nullable List<OrderByElement> order)
            throws RefusedException {
        int from = cursor.at();
        cursor.require(name);
        int close = list.closing(cursor.at());
        cursor.require("(");
        boolean distinct = cursor.skip(rows ? "*" : "DISTINCT") && !rows;
        aggregatesAllowed = false;
        List<Expr> values = operands.separated(arguments);
        List<OrderKey> keys = operands.order(order);
        aggregatesAllowed = true;
        if (cursor.skip("SEPARATOR")) {
            cursor.take();
        }
        cursor.require(close);
        cursor.require(")");
        return new Expr.AggregateCall(cursor.from(from), WordLists.aggregateFunction(name), distinct, values, keys);
    }

    /** Visits a window function. It may contain aggregates, but no other window functions. */
    Expr window(AnalyticExpression node) throws RefusedException {
        TextRange span = operands.span(node);
        if (!aggregatesAllowed || inWindow) {
            throw RefusedException.at(Reason.UNSUPPORTED_SYNTAX, "a window function in the wrong place", span.start());
        }
        String name = new WindowReader(list).check(node, span);
        int from = cursor.at();
        cursor.require(name);
        cursor.require("(");
        cursor.skip("*");
        inWindow = true;
        List<Expr> arguments = operands.separated(WindowReader.arguments(node));
        cursor.require(")");
        int close = list.closing(cursor.at() + 1);
        cursor.require("OVER");
        cursor.require("(");
        List<Expr> partition = List.of();
        if (cursor.skip("PARTITION")) {
            cursor.require("BY");
            partition = operands.separated(Operands.elements(node.getPartitionExpressionList()));
        }
        List<OrderKey> order = operands.order(node.getOrderByElements());
        inWindow = false;
        int frame = cursor.at();
        cursor.pass(frame, close);
        cursor.require(")");
        return new Expr.WindowCall(
                cursor.from(from),
                name,
                arguments,
                partition,
                order,
                frame < close ? Optional.of(list.span(frame, close)) : Optional.empty());
    }

    private Expr scalar(Function node, String name) throws RefusedException {
        boolean unit = functions.firstIsUnit(node, name);
        int from = cursor.at();
        cursor.require(name);
        cursor.require("(");
        Optional<String> first = Optional.empty();
        List<Expression> arguments = arguments(functions.argumentLists(node));
        if (unit) {
            first = Optional.of(cursor.take().text());
            arguments.remove(0);
            if (!arguments.isEmpty()) {
                cursor.require(",");
            }
        }
        List<Expr> values = operands.separated(arguments);
        cursor.require(")");
        return new Expr.Call(cursor.from(from), name, values, first);
    }

    private static List<Expression> arguments(List<ExpressionList<?>> lists) {
        List<Expression> arguments = new ArrayList<>();
        lists.forEach(list -> arguments.addAll(Operands.elements(list)));
        return arguments;
    }
}
