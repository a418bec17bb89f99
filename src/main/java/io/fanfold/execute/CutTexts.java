package io.fanfold.execute;

import io.fanfold.metrics.Reason;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.row.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Finds computed texts that are longer than the server announced them. It cuts them where its plan keeps them in a temporary
 * table or a sort buffer, and then compares what is left: what it answers depends on its plan, so the statement passes through.
 *
 * <p>Measured for texts made of numbers, as of {@code CONCAT}: a DECIMAL(5,5) of -0.12345 with MySQL 9.7.4 and MariaDB
 * 10.11.18, {@code HOUR(x)} of 100 hours, {@code ORD(x)} of four bytes and {@code x DIV 2} of ten digits with MariaDB.
 * {@code COUNT(DISTINCT ...)} of several such values that begin alike was 1.
 *
 * @param columns the numbers of the columns that are computed texts
 * @param characters for each of them how many characters were announced
 */
record CutTexts(int[] columns, long[] characters) {
    /** Looks at nothing. */
    static final CutTexts UNCHECKED = new CutTexts(new int[0], new long[0]);

    /**
     * For the rows of one query.
     *
     * @param bytesPerCharacter how many bytes lengths count for a character, by the id of a collation
     */
    static CutTexts of(List<Column> row, IntUnaryOperator bytesPerCharacter) {
        List<Integer> texts = new ArrayList<>();
        for (int i = 0; i < row.size(); i++) {
            Column column = row.get(i);
            if (column.type() == ColumnType.VAR_STRING && column.computed() && !column.binaryString()) {
                texts.add(i);
            }
        }
        return new CutTexts(
                texts.stream().mapToInt(Integer::intValue).toArray(),
                texts.stream()
                        .map(row::get)
                        .mapToLong(text -> text.length() / bytesPerCharacter.applyAsInt(text.collationId()))
                        .toArray());
    }

    /** Whether there is no column to look at. */
    boolean unchecked() {
        return columns.length == 0;
    }

    /** Abandons the fan-out for a text that is too long, or may have been cut by the partition query. */
    void refuse(Row row) throws Abandoned {
        for (int i = 0; i < columns.length; i++) {
            int column = columns[i];
            if (row.isNull(column) || row.length(column) < characters[i]) {
                continue;
            }
            boolean longer = row.length(column) > characters[i];
            if (longer ? isAscii(row, column) : hasNegativeFraction(row, column)) {
                throw new Abandoned(
                        Reason.VALUE, "a text that needs more than the " + characters[i] + " characters announced");
            }
        }
    }

    /** Whether each byte is one character. */
    private static boolean isAscii(Row row, int column) {
        byte[] payload = row.payload();
        int end = row.start(column) + row.length(column);
        for (int at = row.start(column); at < end; at++) {
            if (payload[at] < 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether "-0." stands in it. A DECIMAL(n,n) is announced without the zero before its point, so that a negative one loses its last
     * digit; the weights that the fold compares are of the whole text.
     */
    private static boolean hasNegativeFraction(Row row, int column) {
        byte[] payload = row.payload();
        int end = row.start(column) + row.length(column);
        for (int at = row.start(column); at < end - 2; at++) {
            if (payload[at] == '-' && payload[at + 1] == '0' && payload[at + 2] == '.') {
                return true;
            }
        }
        return false;
    }
}
