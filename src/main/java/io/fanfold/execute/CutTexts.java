package io.fanfold.execute;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.row.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Finds computed texts that are longer than the server announced. If the server's plan keeps them in a temporary table
 * or a sort buffer, it cuts them there and then compares the rest. Its answer depends on its plan, so the statement is
 * passed through.
 *
 * <p>Measured for texts made of numbers, such as those of {@code CONCAT}: a DECIMAL(5,5) of -0.12345 with MySQL 9.7.4
 * and MariaDB 10.11.18; {@code HOUR(x)} of 100 hours, {@code ORD(x)} of four bytes and {@code x DIV 2} of ten digits
 * with MariaDB. {@code COUNT(DISTINCT ...)} of several such values with the same prefix was 1.
 *
 * @param columns the indexes of the columns that are computed texts
 * @param characters the announced length of each, in characters
 */
record CutTexts(int[] columns, long[] characters) {
    /** Checks nothing. */
    static final CutTexts UNCHECKED = new CutTexts(new int[0], new long[0]);

    /**
     * Checks the rows of one query.
     *
     * @param bytesPerCharacter the bytes that lengths count for a character, by collation id
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

    /** Whether there is no column to check. */
    boolean unchecked() {
        return columns.length == 0;
    }

    /** Refuses a text that is too long, or that the partition query may have cut. */
    void refuse(Row row) throws RefusedException {
        for (int i = 0; i < columns.length; i++) {
            int column = columns[i];
            if (row.isNull(column) || row.length(column) < characters[i]) {
                continue;
            }
            boolean longer = row.length(column) > characters[i];
            if (longer ? isAscii(row, column) : hasNegativeFraction(row, column)) {
                throw new RefusedException(
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
     * Whether the text contains "-0.". A DECIMAL(n,n) is announced without the zero before its point, so a negative one
     * loses its last digit. The weights that the merge compares are those of the whole text.
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
