package io.fanfold.plan;

import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A dynamic filter. An inner join with a dimension implies that the split table's column has one of the keys that the
 * conditions on the dimension leave. These keys can be read first and added to each partition query as a list.
 * Immutable.
 *
 * <pre>
 * FROM t JOIN d ON t.a = d.k WHERE d.x = 1
 *   query of the keys   SELECT DISTINCT d.k FROM d WHERE (d.x = 1)
 *   partition query     FROM t PARTITION (p3) JOIN d ON t.a = d.k WHERE t.a IN (7, 9) AND (d.x = 1)
 * </pre>
 *
 * @param column the split table's column as written in the statement
 * @param type the definition of that column
 * @param table the name of the dimension as EXPLAIN shows it
 * @param keys the query of the keys, without LIMIT
 * @param dimension a query of all keys of the dimension, which is explained and never run
 */
public record KeyFilter(String column, Column type, String table, String keys, String dimension) {
    private static final Pattern WHOLE = Pattern.compile("-?[0-9]{1,20}");
    private static final Pattern DATE = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}");

    /** The first year of the valid dates on both servers. */
    private static final int FIRST_YEAR = 1000;

    /** Returns the query of the keys, which returns at most {@code limit} rows. */
    public String query(long limit) {
        return keys + " LIMIT " + limit;
    }

    /**
     * Whether a literal of a key is known to compare like the key. Dates that do not exist or are before the year 1000
     * have no such literal, because their meaning depends on sql_mode.
     *
     * @param key the server's text of a value of the dimension's column
     */
    public boolean known(String key) {
        if (type.type() != ColumnType.DATE) {
            return WHOLE.matcher(key).matches();
        }
        try {
            return DATE.matcher(key).matches() && LocalDate.parse(key).getYear() >= FIRST_YEAR;
        } catch (DateTimeException e) {
            return false;
        }
    }

    /**
     * Returns the literal of a {@link #known} key.
     *
     * @return empty if the key is outside the range of the split table's column, so that no value equals it
     */
    public Optional<String> literal(String key) {
        if (type.type() == ColumnType.DATE) {
            return Optional.of("DATE'" + key + "'");
        }
        BigInteger value = new BigInteger(key);
        BigInteger values = BigInteger.ONE.shiftLeft(bits(type.type()));
        BigInteger least =
                type.unsigned() ? BigInteger.ZERO : values.shiftRight(1).negate();
        boolean fits = value.compareTo(least) >= 0 && value.compareTo(least.add(values)) < 0;
        return fits ? Optional.of(value.toString()) : Optional.empty();
    }

    private static int bits(ColumnType type) {
        return switch (type) {
            case TINY -> Byte.SIZE;
            case SHORT -> Short.SIZE;
            case INT24 -> 24;
            case LONG -> Integer.SIZE;
            default -> Long.SIZE;
        };
    }
}
