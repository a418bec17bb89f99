package io.fanfold.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BinaryRowTest {
    private static Column column(ColumnType type, int decimals) {
        return new Column("", "", "", "c", "", 63, 20, type, 0, decimals);
    }

    private static String encoded(ColumnType type, String text) {
        Row row = Row.ofValues(List.of(text.getBytes(StandardCharsets.UTF_8)));
        byte[] payload = new BinaryRow(List.of(column(type, 31))).encode(row);
        assertThat(payload).startsWith(0, 0);
        return HexFormat.of().formatHex(payload, 2, payload.length);
    }

    @ParameterizedTest
    @CsvSource({
        "TINY,-128,80",
        "TINY,255,ff",
        "SHORT,-2,feff",
        "YEAR,2026,ea07",
        "INT24,-1,ffffffff",
        "LONG,000042,2a000000",
        "LONG,4294967295,ffffffff",
        "LONGLONG,-9223372036854775808,0000000000000080",
        "LONGLONG,18446744073709551615,ffffffffffffffff",
        "DOUBLE,1.5,000000000000f83f",
        "DOUBLE,-0,0000000000000080",
        "DOUBLE,1.7976931348623157e308,ffffffffffffef7f",
        "DOUBLE,5e-324,0100000000000000",
        "NEWDECIMAL,-1.50,052d312e3530",
        "BIT,a,0161",
        "STRING,'',00",
        "DATE,2026-11-22,04ea070b16",
        "DATE,0000-00-00,00",
        "DATE,2001-00-00,04d1070000",
        "DATETIME,2026-11-22 00:00:00,04ea070b16",
        "DATETIME,2026-11-22 01:02:03,07ea070b16010203",
        "TIMESTAMP,2026-11-22 00:00:00.000,04ea070b16",
        "DATETIME,2026-11-22 00:00:00.25,0bea070b1600000090d00300",
        "DATETIME,0000-00-00 00:00:00.000000,00",
        "TIME,00:00:00,00",
        "TIME,00:00:00.00,00",
        "TIME,-838:59:59,080122000000163b3b",
        "TIME,10:11:12.000001,0c00000000000a0b0c01000000",
        "TIME,-00:00:00.5,0c010000000000000020a10700"
    })
    void valueHasTheFormOfItsType(ColumnType type, String text, String expected) {
        assertThat(encoded(type, text)).isEqualTo(expected);
    }

    @Test
    void nullsAreInTheBitmapAfterTwoBits() {
        List<Column> columns = new ArrayList<>();
        RowBuilder row = new RowBuilder();
        for (int i = 0; i < 15; i++) {
            columns.add(column(i == 3 ? ColumnType.NULL : ColumnType.TINY, 0));
            if (i % 7 == 6 || i == 3) {
                row.addNull();
            } else {
                row.add(new byte[] {'1'});
            }
        }
        byte[] payload = new BinaryRow(columns).encode(row.toRow());
        // bits 2 + 3, 2 + 6 and 2 + 13 of three bytes
        assertThat(HexFormat.of().formatHex(payload)).isEqualTo("00" + "208100" + "01".repeat(12));
    }

    /** Both servers write the shortest digits that parse to the same number. Java does too, in another format. */
    @Test
    void doubleIsParsedFromItsShortestText() {
        Random random = new Random(7);
        for (int i = 0; i < 10_000; i++) {
            double value = Double.longBitsToDouble(random.nextLong());
            if (Double.isNaN(value) || Double.isInfinite(value)) {
                continue;
            }
            long bits = Long.reverseBytes(Double.doubleToRawLongBits(value));
            assertThat(encoded(ColumnType.DOUBLE, Double.toString(value)))
                    .isEqualTo(HexFormat.of().toHexDigits(bits));
        }
    }

    @Test
    void roundedTextsAreNoValues() {
        assertThat(BinaryRow.obstacle(List.of(column(ColumnType.DOUBLE, 31), column(ColumnType.LONG, 0))))
                .isEmpty();
        assertThat(BinaryRow.obstacle(List.of(column(ColumnType.DOUBLE, 2)))).isPresent();
        assertThat(BinaryRow.obstacle(List.of(column(ColumnType.FLOAT, 31)))).isPresent();
        assertThat(BinaryRow.obstacle(List.of(column(ColumnType.UNKNOWN, 0)))).isPresent();
    }

    @Test
    void textOfAnotherTypeIsRefused() {
        assertThatThrownBy(() -> encoded(ColumnType.LONG, "x")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> encoded(ColumnType.DATE, "2026")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> encoded(ColumnType.TIME, "10")).isInstanceOf(IllegalArgumentException.class);
    }
}
