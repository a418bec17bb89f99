package io.fanfold.execute;

import io.fanfold.row.Column;
import io.fanfold.row.Column.Flags;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.AggregateFunction;
import io.fanfold.sql.Expr.AggregateCall;
import java.util.Set;

/**
 * The column definition that servers send for a value kept in a temporary table: that of the table's field, not of the
 * expression as in PREPARE. Measured on MySQL 9.7.4 and MariaDB 10.11.5, see {@code DefinitionsIT}.
 */
final class TemporaryTableColumn {
    /** The length of a JSON or LONGTEXT field on both servers. */
    private static final long LONGEST = 0xffff_ffffL;

    /** The length in characters of a MEDIUMTEXT field on MariaDB. */
    private static final long MEDIUM = (1L << 24) - 1;

    /** The lengths of a DATE or TIME and of a DATETIME without fraction. */
    private static final int DATE_LENGTH = 10;

    private static final int DATETIME_LENGTH = 19;

    /** The length of a FLOAT field on MariaDB. */
    private static final long FLOAT_LENGTH = 12;

    private static final Set<AggregateFunction> GROWING =
            Set.of(AggregateFunction.COUNT, AggregateFunction.SUM, AggregateFunction.MIN, AggregateFunction.MAX);

    private TemporaryTableColumn() {}

    /** A table's column, on either server: its field belongs to no index. */
    static Column ofColumn(Column column) {
        return temporal(column.withFlags(column.flags() & ~Flags.KEY_FLAGS));
    }

    /**
     * A date or time on MySQL. PREPARE of MySQL 8.0.31 announces computed ones as strings of the connection's character
     * set, and the answer does too, unless they come from a field. That of 9.7.4 announces them as fields.
     */
    static Column temporal(Column column) {
        int width = switch (column.type()) {
            case DATE, TIME -> DATE_LENGTH;
            case DATETIME, TIMESTAMP -> DATETIME_LENGTH;
            default -> 0;
        };
        if (width == 0 || column.collationId() == Column.BINARY_COLLATION) {
            return column;
        }
        int fraction = column.decimals() > 0 ? 1 + column.decimals() : 0;
        return column.withCollation(Column.BINARY_COLLATION)
                .withLength(width + fraction)
                .withFlags(column.flags() | Flags.BINARY);
    }

    /**
     * A computed value that is no aggregate, on MySQL. Its field is named after the alias.
     *
     * @param integer the type of the field if the value is an integer
     */
    static Column ofMySql(Column column, ColumnType integer) {
        return ofMySqlExpression(column, integer).withOrgName(column.name());
    }

    private static Column ofMySqlExpression(Column column, ColumnType integer) {
        Column field = field(column);
        if (column.type() == ColumnType.STRING && !column.enumOrSet()) {
            return field.withType(ColumnType.VAR_STRING);
        }
        if (column.type() == ColumnType.DOUBLE) {
            return field.withFlags(field.flags() & ~Flags.UNSIGNED);
        }
        return column.type().isInteger() ? field.withType(integer) : field;
    }

    /**
     * A whole aggregate call, on MySQL. Aggregates that grow with their group are kept in a field.
     *
     * @param minMaxOfExpression whether it is MIN or MAX of something other than a column
     */
    static Column ofMySql(Column column, AggregateCall call, boolean minMaxOfExpression) {
        if (!growing(call)) {
            return column;
        }
        if (minMaxOfExpression) {
            return ofMySqlExpression(column, ColumnType.LONGLONG);
        }
        Column field = field(column);
        return column.type() == ColumnType.YEAR ? field.withFlags(field.flags() | Flags.ZEROFILL) : field;
    }

    /**
     * A computed value that is no aggregate, on MariaDB.
     *
     * @param negated whether it is the negation of a single operand
     * @param bytesPerCharacter for the results' character set, 1 to 4
     */
    static Column ofMariaDb(Column column, boolean negated, int bytesPerCharacter) {
        Column field = ofMariaDb(column, bytesPerCharacter);
        // a negated decimal is announced with room for two signs
        return column.decimal() && negated ? field.withLength(field.length() - 1) : field;
    }

    /** A whole aggregate call, on MariaDB. */
    static Column ofMariaDb(Column column, AggregateCall call, int bytesPerCharacter) {
        if (!growing(call) && !call.function().bits()) {
            return column;
        }
        Column field = ofMariaDb(column, bytesPerCharacter);
        return switch (column.type()) {
            case YEAR -> field.withFlags(field.flags() | Flags.ZEROFILL);
            case FLOAT -> field.withLength(FLOAT_LENGTH);
            default -> field;
        };
    }

    private static Column ofMariaDb(Column column, int bytesPerCharacter) {
        Column field = field(column);
        return switch (column.type()) {
            case MEDIUM_BLOB -> field.withLength(MEDIUM * bytesPerCharacter);
            case LONG_BLOB -> field.withLength(LONGEST);
            default -> field;
        };
    }

    private static boolean growing(AggregateCall call) {
        return GROWING.contains(call.function()) && !call.distinct();
    }

    /** The properties of a field that both servers share. */
    private static Column field(Column column) {
        return switch (column.type()) {
            case TINY_BLOB, BLOB, MEDIUM_BLOB, LONG_BLOB ->
                column.withType(ColumnType.BLOB)
                        .withFlags(column.flags() | Flags.BLOB)
                        .withDecimals(0);
            case JSON ->
                column.withCollation(Column.BINARY_COLLATION)
                        .withLength(LONGEST)
                        .withFlags(column.flags() | Flags.BLOB)
                        .withDecimals(0);
            case STRING, VAR_STRING, VARCHAR -> column.withDecimals(0);
            case TINY, SHORT, INT24, LONG, LONGLONG, YEAR, NEWDECIMAL, FLOAT, DOUBLE ->
                column.withFlags(column.flags() & ~Flags.BINARY);
            case DATE, TIME, DATETIME, TIMESTAMP -> temporal(column);
            default -> column;
        };
    }
}
