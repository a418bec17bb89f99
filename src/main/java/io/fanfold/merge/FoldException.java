package io.fanfold.merge;

/**
 * The partial rows cannot be folded exactly. Raised before the first merged row is given, so that the caller can still
 * pass the statement through.
 */
public final class FoldException extends Exception {
    private static final long serialVersionUID = 1;

    /** What was found. */
    public enum Kind {
        /** The text of a value is not what its comparison or slot needs. */
        MALFORMED_VALUE,
        /** A value is NULL and what it is compared by is not, or the other way round. */
        KEY_MISSING,
        /** The rows of a partition did not come sorted: the server orders them in another way than the plan says. */
        NOT_SORTED,
        /** A row has too few columns, or another number of columns than the rows before. */
        ROW_SHAPE,
        /** A sum or a key is larger than the server or an array can hold. */
        TOO_LARGE,
        /** There are more merged rows than are wanted at most. */
        TOO_MANY_ROWS
    }

    private final Kind kind;

    public FoldException(Kind kind, String detail) {
        super(detail);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
