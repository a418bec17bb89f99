package io.fanfold.sql;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An expression as the server binds it, with its place in the text of its block. It has no types and no names are
 * resolved. Parentheses are no expression of their own: they belong to the outer range of what stands in them. Every
 * expression has a token that none of its children has. Immutable.
 */
public sealed interface Expr {
    /** Returns its text. */
    ExprText text();

    /** Returns the expressions that it is directly made of, in order of position. */
    default List<Expr> children() {
        return List.of();
    }

    /**
     * Returns the name of the operation for {@link #enclosing}; empty if it only passes on its operand or has no
     * children.
     */
    default String operation() {
        return "";
    }

    /** Returns the range of its own tokens, without parentheses around them. */
    default TextRange span() {
        return text().span();
    }

    /** Returns its range with all parentheses directly around it. */
    default TextRange outer() {
        return text().outer();
    }

    /**
     * Returns its own tokens joined by one blank. Keywords, identifiers and function names are in lower case without
     * quotes, literals are as written. Two expressions of one statement with equal keys are the same expression.
     */
    default String key() {
        return text().key();
    }

    /** Returns its tokens, and the parentheses around it, in the form of {@link #key}. */
    default String tokens() {
        return text().outerKey();
    }

    /** Returns the kind of the whole expression. */
    default ExprKind kind() {
        if (!span().equals(outer())) {
            return ExprKind.OTHER;
        }
        if (this instanceof Literal literal) {
            return literal.type() == LiteralType.INTEGER ? ExprKind.INTEGER : ExprKind.LITERAL;
        }
        if (this instanceof ColumnRef) {
            return ExprKind.COLUMN;
        }
        if (this instanceof AggregateCall) {
            return ExprKind.AGGREGATE;
        }
        return this instanceof Star ? ExprKind.STAR : ExprKind.OTHER;
    }

    /** Returns every column name in it, in order of position, without those of subqueries. */
    default List<ColumnRef> columns() {
        return all(ColumnRef.class);
    }

    /** Returns every aggregate call in it, in order of position; aggregates never nest. */
    default List<AggregateCall> aggregates() {
        return all(AggregateCall.class);
    }

    /** Returns every call of a window function in it, in order of position; these never nest. */
    default List<WindowCall> windows() {
        return all(WindowCall.class);
    }

    /** Returns the expressions of one type in it, itself included, in order of position. */
    default <T extends Expr> List<T> all(Class<T> type) {
        List<T> found = new ArrayList<>();
        // not recursive, because a chain of operators is as deep as it is long
        Deque<Expr> open = new ArrayDeque<>(List.of(this));
        while (!open.isEmpty()) {
            Expr next = open.pop();
            if (type.isInstance(next)) {
                found.add(type.cast(next));
            }
            List<Expr> children = next.children();
            for (int i = children.size() - 1; i >= 0; i--) {
                open.push(children.get(i));
            }
        }
        return found;
    }

    /**
     * Returns the operators and functions in it around another expression, outermost first, in upper case. These are
     * function names, {@code + - * / DIV %}, {@code NEG} for unary minus, {@code CASE}, {@code CAST AS CHAR},
     * {@code CAST AS DECIMAL}, {@code CAST AS SIGNED} and so on, {@code OVER} for a window function and its window,
     * {@code ROW}, {@code COMPARISON} for {@code = < > <= >= <> <=> IN BETWEEN LIKE IS}, and {@code LOGIC} for
     * {@code AND OR NOT}.
     *
     * @param inner one of its children, or of theirs
     */
    default List<String> enclosing(Expr inner) {
        List<String> path = new ArrayList<>();
        Expr at = this;
        while (!at.span().equals(inner.span())) {
            if (!at.operation().isEmpty()) {
                path.add(at.operation());
            }
            at = at.children().stream()
                    .filter(child -> child.span().contains(inner.span()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(inner + " is not in " + this));
        }
        return path;
    }

    /** The kind of a whole expression. Parentheses around it make it {@link #OTHER}. */
    enum ExprKind {
        /** {@code *} or {@code t.*}. */
        STAR,
        /** Exactly one column name. */
        COLUMN,
        /** Exactly one aggregate call. */
        AGGREGATE,
        /** An unsigned integer literal; in GROUP BY and ORDER BY a position. */
        INTEGER,
        /** Any other literal. */
        LITERAL,
        OTHER
    }

    /** The type of a literal. */
    enum LiteralType {
        INTEGER,
        DECIMAL,
        DOUBLE,
        STRING,
        NULL,
        BOOLEAN,
        /** {@code DATE '…'}, {@code TIME '…'} and {@code TIMESTAMP '…'}. */
        TEMPORAL
    }

    /** A literal without a sign. */
    record Literal(ExprText text, LiteralType type) implements Expr {}

    /**
     * A column name, or the alias of a select item.
     *
     * @param qualifier the table or schema.table before the name as written, unquoted, parts joined by a dot; null if
     *     unqualified
     * @param name the column's or alias's name, unquoted
     */
    record ColumnRef(ExprText text, @Nullable String qualifier, String name) implements Expr {}

    /** {@code *} or {@code t.*} as an element of the select list. */
    record Star(ExprText text) implements Expr {}

    /**
     * An operator and its operands.
     *
     * @param negated whether NOT is part of the operator: NOT LIKE, NOT IN, NOT BETWEEN, IS NOT
     */
    record Operation(ExprText text, Operator operator, boolean negated, List<Expr> operands) implements Expr {
        public Operation {
            operands = List.copyOf(operands);
        }

        @Override
        public List<Expr> children() {
            return operands;
        }

        @Override
        public String operation() {
            return operator.operation();
        }
    }

    /**
     * A CASE expression.
     *
     * @param operand the value after CASE, compared with the conditions; null if there is none
     * @param otherwise the value after ELSE; null if there is none
     */
    record Case(
            ExprText text,
            @Nullable Expr operand,
            List<When> whens,
            @Nullable Expr otherwise) implements Expr {
        public Case {
            whens = List.copyOf(whens);
        }

        @Override
        public List<Expr> children() {
            List<Expr> children = new ArrayList<>();
            if (operand != null) {
                children.add(operand);
            }
            whens.forEach(when -> children.addAll(List.of(when.condition(), when.value())));
            if (otherwise != null) {
                children.add(otherwise);
            }
            return children;
        }

        @Override
        public String operation() {
            return "CASE";
        }
    }

    /** {@code WHEN condition THEN value}. */
    record When(Expr condition, Expr value) {}

    /**
     * A CAST.
     *
     * @param target the first word of the type, in upper case
     */
    record Cast(ExprText text, String target, Expr operand) implements Expr {
        @Override
        public List<Expr> children() {
            return List.of(operand);
        }

        @Override
        public String operation() {
            return "CAST AS " + target;
        }
    }

    /**
     * A call of a function that is neither an aggregate nor a window function.
     *
     * @param function its name in upper case
     * @param unit the unit that EXTRACT, TIMESTAMPDIFF or TIMESTAMPADD begins with, in upper case
     */
    record Call(ExprText text, String function, List<Expr> arguments, Optional<String> unit) implements Expr {
        public Call {
            arguments = List.copyOf(arguments);
        }

        @Override
        public List<Expr> children() {
            return arguments;
        }

        @Override
        public String operation() {
            return function;
        }
    }

    /** {@code INTERVAL number unit}, the unit in upper case. */
    record Interval(ExprText text, Expr number, String unit) implements Expr {
        @Override
        public List<Expr> children() {
            return List.of(number);
        }

        @Override
        public String operation() {
            return "INTERVAL";
        }
    }

    /** Two or more expressions in parentheses that are its own. */
    record Row(ExprText text, List<Expr> elements) implements Expr {
        public Row {
            elements = List.copyOf(elements);
        }

        @Override
        public List<Expr> children() {
            return elements;
        }

        @Override
        public String operation() {
            return "ROW";
        }
    }

    /** An element of the ORDER BY of a call. */
    record OrderKey(Expr expr, boolean descending) {}

    /**
     * An aggregate call.
     *
     * @param function the function
     * @param distinct whether DISTINCT was written
     * @param arguments the arguments in order; empty for COUNT(*)
     * @param order its ORDER BY; empty without one
     */
    record AggregateCall(
            ExprText text, AggregateFunction function, boolean distinct, List<Expr> arguments, List<OrderKey> order)
            implements Expr {
        public AggregateCall {
            arguments = List.copyOf(arguments);
            order = List.copyOf(order);
        }

        @Override
        public List<Expr> children() {
            return Stream.concat(arguments.stream(), order.stream().map(OrderKey::expr))
                    .toList();
        }

        @Override
        public String operation() {
            return function.name();
        }

        /** Returns the arguments as normalised tokens. */
        public List<String> argumentTokens() {
            return arguments.stream().map(Expr::tokens).toList();
        }

        /** Returns the keys of its ORDER BY as normalised tokens, without directions. */
        public List<String> sortedBy() {
            return order.stream().map(key -> key.expr().tokens()).toList();
        }
    }

    /**
     * A call of a window function, computed over the block's result rows after grouping. Aggregates inside it are those
     * of the block; the call itself is not an aggregate.
     *
     * @param function its name in upper case
     * @param arguments the arguments in order; empty for COUNT(*)
     * @param partition the expressions after PARTITION BY
     * @param order the window's ORDER BY
     * @param frame the frame as written; empty if there is none
     */
    record WindowCall(
            ExprText text,
            String function,
            List<Expr> arguments,
            List<Expr> partition,
            List<OrderKey> order,
            Optional<TextRange> frame)
            implements Expr {
        public WindowCall {
            arguments = List.copyOf(arguments);
            partition = List.copyOf(partition);
            order = List.copyOf(order);
        }

        @Override
        public List<Expr> children() {
            return Stream.of(
                            arguments.stream(),
                            partition.stream(),
                            order.stream().map(OrderKey::expr))
                    .flatMap(part -> part)
                    .toList();
        }

        @Override
        public String operation() {
            return "OVER";
        }
    }

    /**
     * A subquery, with its parentheses and the EXISTS, ALL, ANY or SOME before them. What is in it are no children.
     *
     * @param quantifier EXISTS, ALL, ANY or SOME; empty if there is none
     * @param body its text without parentheses
     * @param blocks its block, or the operands of its set operations
     */
    record Subquery(ExprText text, String quantifier, TextRange body, List<SelectModel> blocks) implements Expr {
        public Subquery {
            blocks = List.copyOf(blocks);
        }
    }
}
