package io.fanfold.operator;

/**
 * The partial rows cannot be merged exactly. Thrown before the first merged row is returned, so that the caller can
 * still pass the statement through.
 */
public final class MergeException extends Exception {
    private static final long serialVersionUID = 1;

    /** The kind of obstacle. */
    public enum MergeFailure {
        /** A value's text is not of the form that its comparison or accumulator needs. */
        MALFORMED_VALUE,
        /** A value is NULL and its comparison key is not, or the reverse. */
        KEY_MISSING,
        /** The rows of a partition are not sorted: the server orders them differently than planned. */
        NOT_SORTED,
        /** A row has too few columns, or another number of columns than earlier rows. */
        ROW_SHAPE,
        /** A sum or a key is larger than the server or an array can hold. */
        TOO_LARGE,
        /** There are more merged rows than allowed. */
        TOO_MANY_ROWS
    }

    private final MergeFailure kind;

    public MergeException(MergeFailure kind, String detail) {
        super(detail);
        this.kind = kind;
    }

    public MergeFailure kind() {
        return kind;
    }
}
