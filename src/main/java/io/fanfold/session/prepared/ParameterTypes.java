package io.fanfold.session.prepared;

import io.fanfold.row.ColumnType;
import java.util.Arrays;

/**
 * The kinds of values that the parameters of a statement had in all its executions. MySQL keeps comparing by the kinds
 * of earlier executions, whatever later ones bring (measured on 9.7, see {@code ParameterValuesIT}). Not thread-safe.
 */
final class ParameterTypes {
    private enum ParameterType {
        /** Unknown: the value is NULL. */
        NONE,
        EXACT,
        EXACT_UNSIGNED,
        REAL,
        TEXT,
        BYTES,
        DAY,
        MOMENT,
        SPAN,
        OTHER
    }

    private static final int UNSIGNED = 0x80;

    private final ParameterType[] kinds;
    private boolean mixed;

    ParameterTypes(int parameters) {
        kinds = new ParameterType[parameters];
        Arrays.fill(kinds, ParameterType.NONE);
    }

    /**
     * Whether each parameter has one kind in all executions up to this one.
     *
     * @param types two bytes for each parameter, the second with the sign; of another length if unknown
     */
    boolean sameAsBefore(byte[] types) {
        boolean same = !mixed && types.length == 2 * kinds.length;
        for (int i = 0; i < kinds.length && same; i++) {
            ParameterType kind = kind(types, i);
            same = kind == ParameterType.NONE || kinds[i] == ParameterType.NONE || kind == kinds[i];
        }
        return same;
    }

    /** Adds an execution; the parameter is that of {@link #sameAsBefore}. */
    void add(byte[] types) {
        mixed = !sameAsBefore(types);
        for (int i = 0; i < kinds.length && !mixed; i++) {
            ParameterType kind = kind(types, i);
            kinds[i] = kind == ParameterType.NONE ? kinds[i] : kind;
        }
    }

    private static ParameterType kind(byte[] types, int parameter) {
        return kind(types[2 * parameter] & 0xff, (types[2 * parameter + 1] & UNSIGNED) != 0);
    }

    private static ParameterType kind(int code, boolean unsigned) {
        return switch (ColumnType.ofCode(code)) {
            case NULL -> ParameterType.NONE;
            case TINY, SHORT, INT24, LONG, LONGLONG, YEAR ->
                unsigned ? ParameterType.EXACT_UNSIGNED : ParameterType.EXACT;
            case DECIMAL, NEWDECIMAL -> ParameterType.EXACT;
            case FLOAT, DOUBLE -> ParameterType.REAL;
            case VARCHAR, VAR_STRING, STRING -> ParameterType.TEXT;
            case TINY_BLOB, MEDIUM_BLOB, LONG_BLOB, BLOB -> ParameterType.BYTES;
            case DATE -> ParameterType.DAY;
            case DATETIME, TIMESTAMP -> ParameterType.MOMENT;
            case TIME -> ParameterType.SPAN;
            default -> ParameterType.OTHER;
        };
    }
}
