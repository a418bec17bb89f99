package io.fanfold.sql;

import org.jspecify.annotations.Nullable;

/** An operator of an {@link Expr.Operation}. */
public enum Operator {
    ADD("+", "+"),
    SUBTRACT("-", "-"),
    MULTIPLY("*", "*"),
    DIVIDE("/", "/"),
    DIV("DIV", "DIV"),
    REMAINDER("%", "%"),
    NEGATE("NEG", "-"),
    /** Unary plus. */
    POSITIVE("", "+"),
    AND("LOGIC", "AND"),
    OR("LOGIC", "OR"),
    NOT("LOGIC", "NOT"),
    EQUAL("COMPARISON", "="),
    EQUAL_OR_BOTH_NULL("COMPARISON", "<=>"),
    NOT_EQUAL("COMPARISON", "<>", "!="),
    GREATER("COMPARISON", ">"),
    GREATER_OR_EQUAL("COMPARISON", ">="),
    LESS("COMPARISON", "<"),
    LESS_OR_EQUAL("COMPARISON", "<="),
    /** The operands are the value, the pattern, and the escape character if it is written. */
    LIKE("COMPARISON", "LIKE"),
    REGEXP("COMPARISON", "REGEXP", "RLIKE"),
    /** The operands are the value and a {@link Expr.Row}, or a single expression in parentheses. */
    IN("COMPARISON", "IN"),
    /** The operands are the value and the two limits. */
    BETWEEN("COMPARISON", "BETWEEN"),
    IS_NULL("COMPARISON", "NULL"),
    IS_TRUE("COMPARISON", "TRUE"),
    IS_FALSE("COMPARISON", "FALSE"),
    IS_UNKNOWN("COMPARISON", "UNKNOWN"),
    /** The name of the collation is no operand. */
    COLLATE("COLLATE", "COLLATE");

    private final String operation;
    private final String written;
    private final @Nullable String alternative;

    Operator(String operation, String written) {
        this(operation, written, null);
    }

    Operator(String operation, String written, @Nullable String alternative) {
        this.operation = operation;
        this.written = written;
        this.alternative = alternative;
    }

    /** Returns its name for {@link Expr#enclosing}. */
    String operation() {
        return operation;
    }

    /** Whether a token is how it is written. */
    boolean writtenAs(String token) {
        return token.equals(written) || token.equals(alternative);
    }
}
