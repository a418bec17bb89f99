package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Expr.OrderKey;
import java.util.ArrayList;
import java.util.List;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.parser.ASTNodeAccess;
import net.sf.jsqlparser.parser.Node;
import net.sf.jsqlparser.statement.select.OrderByElement;
import org.jspecify.annotations.Nullable;

/**
 * The nodes inside a node of the parser's tree, for the builders of single nodes. For one expression, one thread.
 *
 * @param visitor builds the expression of any node
 * @param within the text of the whole expression
 */
record Operands(Visitor visitor, TokenList list, TokenCursor cursor, TextRange within) {
    /** Builds the expression of a node of any class, and refuses unknown ones. */
    interface Visitor {
        Expr visit(Expression node) throws RefusedException;
    }

    Expr visit(Expression node) throws RefusedException {
        return visitor.visit(node);
    }

    /** Returns the elements of a list. For the parser, parentheses around the only element are those of the list. */
    static List<? extends Expression> elements(ExpressionList<?> list) {
        return list instanceof ParenthesedExpressionList<?> ? List.of(list) : list;
    }

    /** Visits expressions between which there is a comma or a keyword. */
    List<Expr> separated(List<? extends Expression> nodes) throws RefusedException {
        List<Expr> elements = new ArrayList<>();
        for (Expression node : nodes) {
            if (!elements.isEmpty()) {
                cursor.take();
            }
            elements.add(visit(node));
        }
        return elements;
    }

    List<OrderKey> order(@Nullable List<OrderByElement> nodes) throws RefusedException {
        List<OrderKey> keys = new ArrayList<>();
        if (nodes != null) {
            cursor.require("ORDER");
            cursor.require("BY");
            for (OrderByElement node : nodes) {
                if (!keys.isEmpty()) {
                    cursor.require(",");
                }
                Expr key = visit(node.getExpression());
                boolean descending = cursor.skip("DESC");
                if (!descending) {
                    cursor.skip("ASC");
                }
                keys.add(new OrderKey(key, descending));
            }
        }
        return keys;
    }

    /** Returns the node's text. Every position must lie inside the expression and at token boundaries. */
    TextRange span(Expression node) throws RefusedException {
        Node position = ((ASTNodeAccess) node).getASTNode();
        if (position == null || position.jjtGetFirstToken() == null || position.jjtGetLastToken() == null) {
            throw refusal("a node without position");
        }
        int start = position.jjtGetFirstToken().absoluteBegin - 1;
        int end = position.jjtGetLastToken().absoluteEnd - 1;
        if (start < within.start() || end > within.end() || end <= start || list.startingAt(start) < 0) {
            throw refusal("a node's position");
        }
        return new TextRange(start, end);
    }

    RefusedException refusal(String what) {
        return RefusedException.at(Reason.UNSUPPORTED_SYNTAX, what + " in an expression", within.start());
    }
}
