package io.fanfold.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SsbRowsTest {
    private static final SsbScale SCALE = SsbScale.of(new BigDecimal("0.01"));

    /** Measurements depend on the rows. If these checksums change, DemoData.VERSION must change too. */
    @ParameterizedTest
    @CsvSource({
        "0,dim_date,fec756b444385e17",
        "1,customer,425c03173a3ae54d",
        "2,supplier,03d2647dc18b866e",
        "3,part,856acd32b0cc65a8",
        "4,lineorder,582e7cfc2b1e2ede",
        "5,lineorder_plain,582e7cfc2b1e2ede"
    })
    void theFirstThousandRowsStayTheSame(int index, String name, String sum) throws NoSuchAlgorithmException {
        SsbTable table = SsbSchema.onOneServer().rows(SCALE, DemoData.SEED).get(index);
        assertThat(table.name()).isEqualTo(name);
        StringBuilder text = new StringBuilder();
        int rows = 0;
        for (long unit = 0; rows < 1000; unit++) {
            rows += table.append(text, unit);
        }
        assertThat(sha256(text.toString())).isEqualTo(sum);
    }

    @Test
    void anotherSeedGivesOtherRows() {
        StringBuilder one = new StringBuilder();
        StringBuilder other = new StringBuilder();
        new LineorderRows("lineorder", SCALE, 1).append(one, 5);
        new LineorderRows("lineorder", SCALE, 2).append(other, 5);
        assertThat(one.toString()).isNotEqualTo(other.toString());
    }

    @Test
    void generatesTheAnnouncedNumberOfRows() {
        for (SsbTable table : SsbSchema.onOneServer().rows(SsbScale.of(new BigDecimal("0.0005")), 7)) {
            long rows = 0;
            StringBuilder text = new StringBuilder();
            for (long unit = 0; unit < table.units(); unit++) {
                text.append(unit == 0 ? "" : ",");
                rows += table.append(text, unit);
            }
            assertThat(rows).as(table.name()).isEqualTo(table.rows());
            assertThat(text.toString().split("\\),\\(", -1)).hasSize((int) rows);
        }
    }

    @Test
    void ordersHaveOneToSevenLinesAndFittingKeys() {
        Map<String, Integer> linesOfOrder = new HashMap<>();
        Set<String> dates = new HashSet<>();
        for (String row : rows(new LineorderRows("lineorder", SCALE, 3))) {
            String[] values = row.split(",", -1);
            assertThat(values).hasSize(17);
            linesOfOrder.merge(values[0], 1, Integer::sum);
            assertThat(Integer.parseInt(values[2])).isBetween(1, SCALE.customers());
            assertThat(Integer.parseInt(values[3])).isBetween(1, SCALE.parts());
            assertThat(Integer.parseInt(values[4])).isBetween(1, SCALE.suppliers());
            assertThat(Integer.parseInt(values[8])).isBetween(1, 50);
            assertThat(Integer.parseInt(values[11])).isBetween(0, 10);
            assertThat(Integer.parseInt(values[15])).isBetween(19_920_131, 19_981_231);
            dates.add(values[5]);
        }
        Map<Integer, Integer> ordersOfLength = new TreeMap<>();
        linesOfOrder.values().forEach(lines -> ordersOfLength.merge(lines, 1, Integer::sum));
        assertThat(ordersOfLength.keySet()).containsExactly(1, 2, 3, 4, 5, 6, 7);
        assertThat(dates).hasSize(SsbCalendar.ORDER_DAYS).contains("19920101", "19980802");
    }

    @Test
    void everyRegionNationAndBrandIsThere() {
        Set<String> regions = new HashSet<>();
        Set<String> nations = new HashSet<>();
        Set<String> cities = new HashSet<>();
        for (String row : rows(PartyRows.customers(SCALE.customers(), 3))) {
            String[] values = row.split(",", -1);
            cities.add(values[3]);
            nations.add(values[4]);
            regions.add(values[5]);
        }
        assertThat(regions).hasSize(5).contains("'AMERICA'", "'ASIA'");
        assertThat(nations).hasSize(25).contains("'UNITED STATES'");
        assertThat(cities).hasSize(250).contains("'UNITED KI1'", "'PERU     0'");
        Set<String> categories = new HashSet<>();
        Set<String> brands = new HashSet<>();
        for (String row : rows(new PartRows(20_000, 3))) {
            String[] values = row.split(",", -1);
            categories.add(values[3]);
            brands.add(values[4]);
        }
        assertThat(categories).hasSize(25).contains("'MFGR#12'");
        assertThat(brands).hasSize(1000).contains("'MFGR#2221'", "'MFGR#121'");
    }

    @Test
    void theCalendarHasSevenYears() {
        List<String> rows = List.of(rows(new DateRows()));
        assertThat(rows).hasSize(2557);
        assertThat(rows.get(0))
                .isEqualTo("19920101,'January 1, 1992','Wednesday','January',1992,199201,'Jan1992',4,1,1,1,1,'Winter',"
                        + "0,0,1,1");
        assertThat(rows.get(2556)).startsWith("19981231,'December 31, 1998','Thursday'");
    }

    @Test
    void scaleOneIsTheBenchmarksSize() {
        assertThat(SsbScale.of(BigDecimal.ONE)).isEqualTo(new SsbScale(6_000_000, 30_000, 2_000, 200_000));
        assertThat(SsbScale.of(new BigDecimal("0.1")).lineorders()).isEqualTo(600_000);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SsbScale.of(new BigDecimal("101")))
                .withMessage("scale 101 (expected: 0.0001..100)");
    }

    /** Returns all rows without their brackets. */
    private static String[] rows(SsbTable table) {
        StringBuilder text = new StringBuilder();
        for (long unit = 0; unit < table.units(); unit++) {
            text.append(unit == 0 ? "" : ",");
            table.append(text, unit);
        }
        return text.substring(1, text.length() - 1).split("\\),\\(", -1);
    }

    private static String sha256(String text) throws NoSuchAlgorithmException {
        byte[] sum = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(sum).substring(0, 16);
    }
}
