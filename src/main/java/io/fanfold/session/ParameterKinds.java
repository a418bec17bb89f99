package io.fanfold.session;

import io.fanfold.row.ColumnType;
import java.util.Arrays;

/**
 * The kinds of values that the parameters of a statement had in all its executions. MySQL keeps comparing by the kinds
 * of earlier executions, whatever later ones bring (measured on 9.7, see {@code ParameterValuesIT}). Not thread-safe.
 */
final class ParameterKinds {
    private enum Kind {
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

    private final Kind[] kinds;
    private boolean mixed;

    ParameterKinds(int parameters) {
        kinds = new Kind[parameters];
        Arrays.fill(kinds, Kind.NONE);
    }

    /**
     * Adds an execution.
     *
     * @param types two bytes for each parameter, the second with the sign; of another length if unknown
     * @return whether each parameter had one kind in all executions up to this one
     */
    boolean sameAsBefore(byte[] types) {
        mixed |= types.length != 2 * kinds.length;
        for (int i = 0; i < kinds.length && !mixed; i++) {
            Kind kind = kind(types[2 * i] & 0xff, (types[2 * i + 1] & UNSIGNED) != 0);
            mixed = kind != Kind.NONE && kinds[i] != Kind.NONE && kind != kinds[i];
            kinds[i] = kind == Kind.NONE ? kinds[i] : kind;
        }
        return !mixed;
    }

    private static Kind kind(int code, boolean unsigned) {
        return switch (ColumnType.ofCode(code)) {
            case NULL -> Kind.NONE;
            case TINY, SHORT, INT24, LONG, LONGLONG, YEAR -> unsigned ? Kind.EXACT_UNSIGNED : Kind.EXACT;
            case DECIMAL, NEWDECIMAL -> Kind.EXACT;
            case FLOAT, DOUBLE -> Kind.REAL;
            case VARCHAR, VAR_STRING, STRING -> Kind.TEXT;
            case TINY_BLOB, MEDIUM_BLOB, LONG_BLOB, BLOB -> Kind.BYTES;
            case DATE -> Kind.DAY;
            case DATETIME, TIMESTAMP -> Kind.MOMENT;
            case TIME -> Kind.SPAN;
            default -> Kind.OTHER;
        };
    }
}
