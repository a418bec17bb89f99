package io.fanfold.sql;

import java.util.Objects;

/**
 * The text of an expression in its block. Immutable.
 *
 * <pre>
 * of b + c in a * (b + c)   span b + c   outer (b + c)
 * </pre>
 */
public final class ExprText {
    private final NormalText block;
    private final TextRange span;
    private final TextRange outer;

    ExprText(NormalText block, TextRange span, TextRange outer) {
        this.block = block;
        this.span = span;
        this.outer = outer;
    }

    /** Returns the range of its own tokens. */
    public TextRange span() {
        return span;
    }

    /** Returns its range with all parentheses directly around it. */
    public TextRange outer() {
        return outer;
    }

    /** Returns its own tokens in normalised form, see {@link Expr#key}. */
    public String key() {
        return block.of(span);
    }

    /** Returns its tokens and the parentheses around it in the same form. */
    public String outerKey() {
        return block.of(outer);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ExprText text
                && span.equals(text.span)
                && outer.equals(text.outer)
                && outerKey().equals(text.outerKey());
    }

    @Override
    public int hashCode() {
        return Objects.hash(span, outer);
    }

    @Override
    public String toString() {
        return outerKey();
    }
}
