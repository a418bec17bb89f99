package io.fanfold.operator;

import static io.fanfold.operator.Merging.descending;
import static io.fanfold.operator.Merging.key;
import static io.fanfold.operator.Merging.padded;
import static io.fanfold.operator.Merging.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.plan.SortKey;
import io.fanfold.plan.SortKey.KeyComparison;
import io.fanfold.row.Row;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyEncoderTest {
    private static final long SEED = 4711;
    private static final int VALUES = 100;

    static Stream<SortKey> keys() {
        return Stream.concat(
                Stream.of(KeyComparison.values())
                        .filter(comparison -> comparison != KeyComparison.WEIGHT_PAD)
                        .map(comparison -> key(0, comparison)),
                Stream.of(" ", "\0 ", "\u0002\u0009", "\0\0 ", "  ", "abcdefghij", "\u00ff", "\0")
                        .map(pad -> padded(0, pad)));
    }

    private static byte[] encode(KeyEncoder encoder, @Nullable String... values) throws MergeException {
        List<byte[]> bytes = new ArrayList<>();
        for (String value : values) {
            bytes.add(nullable(value));
        }
        encoder.encode(Row.ofValues(bytes));
        return encoder.toBytes();
    }

    @SuppressWarnings("NullAway") // Row.ofValues takes null elements for NULL
    private static byte[] nullable(@Nullable String value) {
        return value == null ? null : value.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] encode(SortKey key, @Nullable String value) throws MergeException {
        return encode(KeyEncoder.forOrder(List.of(key)), value);
    }

    @ParameterizedTest
    @MethodSource("keys")
    void ordersEveryPairAsTheReferenceDoes(SortKey key) throws MergeException {
        Random random = new Random(SEED);
        SortKey down = new SortKey(key.column(), key.comparison(), key.pad(), true);
        List<@Nullable String> values = new ArrayList<>();
        for (int i = 0; i < VALUES; i++) {
            values.add(ReferenceOrder.value(key, random));
        }
        if (key.comparison() == KeyComparison.WEIGHT_PAD && key.pad().length == 1) {
            values.addAll(ReferenceOrder.paddedExamples());
        }
        int equal = 0;
        for (String a : values) {
            for (String b : values) {
                int expected = Integer.signum(ReferenceOrder.compare(key, a, b));
                assertThat(Integer.signum(Arrays.compareUnsigned(encode(key, a), encode(key, b))))
                        .as("%s and %s, seed %d", a, b, SEED)
                        .isEqualTo(expected);
                assertThat(Integer.signum(Arrays.compareUnsigned(encode(down, a), encode(down, b))))
                        .as("%s and %s descending, seed %d", a, b, SEED)
                        .isEqualTo(-expected);
                equal += expected == 0 ? 1 : 0;
            }
        }
        assertThat(equal).as("equal values were met").isGreaterThan(values.size());
    }

    @Test
    void ordersTuplesByTheFirstKeyThatDiffers() throws MergeException {
        Random random = new Random(SEED);
        List<SortKey> columns = keys().toList();
        for (int round = 0; round < 20_000; round++) {
            List<SortKey> keys = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                SortKey key = columns.get(random.nextInt(columns.size()));
                keys.add(new SortKey(i, key.comparison(), key.pad(), random.nextBoolean()));
            }
            @Nullable String[] a = new @Nullable String[3];
            @Nullable String[] b = new @Nullable String[3];
            for (int i = 0; i < 3; i++) {
                a[i] = ReferenceOrder.value(keys.get(i), random);
                b[i] = random.nextBoolean() ? a[i] : ReferenceOrder.value(keys.get(i), random);
            }
            KeyEncoder encoder = KeyEncoder.forOrder(keys);
            byte[] first = encode(encoder, a);
            byte[] second = encode(encoder, b);
            int expected = ReferenceOrder.of(keys, true).compare(Arrays.asList(a), Arrays.asList(b));
            assertThat(Integer.signum(Arrays.compareUnsigned(first, second)))
                    .as("%s and %s by %s, seed %d", Arrays.toString(a), Arrays.toString(b), keys, SEED)
                    .isEqualTo(Integer.signum(expected));
            assertThat(Integer.signum(encoder.compareTo(first))).isEqualTo(Integer.signum(-expected));
        }
    }

    @ParameterizedTest
    @MethodSource("keys")
    void equalKeysHaveEqualHashes(SortKey key) throws MergeException {
        Random random = new Random(SEED);
        KeyEncoder encoder = KeyEncoder.forEquality(List.of(new SortKey(0, key.comparison(), key.pad(), true)));
        for (int i = 0; i < 5000; i++) {
            String a = ReferenceOrder.value(key, random);
            String b = ReferenceOrder.value(key, random);
            byte[] first = encode(encoder, a);
            int hash = encoder.hash(SEED);
            assertThat(KeyEncoder.hash(first, 0, first.length, SEED)).isEqualTo(hash);
            boolean same = Arrays.equals(first, encode(encoder, b));
            assertThat(same).isEqualTo(ReferenceOrder.compare(key, a, b) == 0);
            assertThat(encoder.compareTo(first) == 0).isEqualTo(same);
            assertThat(!same || encoder.hash(SEED) == hash).isTrue();
        }
    }

    @Test
    void hashesSpread() {
        Set<Integer> low = new HashSet<>();
        for (int i = 0; i < 4096; i++) {
            byte[] key = String.format(Locale.ROOT, "%06d", i).getBytes(StandardCharsets.ISO_8859_1);
            low.add(KeyEncoder.hash(key, 0, key.length, SEED) & 0xffff);
        }
        // 4096 random numbers below 65536 have about 3970 different values.
        assertThat(low).hasSizeGreaterThan(3800);
    }

    @Test
    void knowsWhetherAKeyIsNull() throws MergeException {
        KeyEncoder encoder = KeyEncoder.forEquality(List.of(key(0, KeyComparison.BYTES), key(1, KeyComparison.BYTES)));
        encoder.encode(row("a|NULL"));
        assertThat(encoder.hasNull()).isTrue();
        encoder.encode(row("a|"));
        assertThat(encoder.hasNull()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0000-00-00", "2001-00-01", "2001-1-1", "", "2020-02-30"})
    void datesThatTheCalendarDoesNotHaveAreNotCompared(String date) {
        KeyEncoder encoder = KeyEncoder.forEquality(List.of(key(0, KeyComparison.DATE)));
        assertThatThrownBy(() -> encode(encoder, date))
                .isInstanceOfSatisfying(
                        MergeException.class,
                        e -> assertThat(e.kind()).isEqualTo(MergeException.MergeFailure.MALFORMED_VALUE));
    }

    @Test
    void directionIsForOrderOnly() throws MergeException {
        SortKey up = key(0, KeyComparison.NUMBER);
        SortKey down = descending(0, KeyComparison.NUMBER);
        assertThat(encode(KeyEncoder.forEquality(List.of(down)), "5"))
                .isEqualTo(encode(KeyEncoder.forEquality(List.of(up)), "5"))
                .isNotEqualTo(encode(KeyEncoder.forOrder(List.of(down)), "5"));
    }

    @Test
    void longRunsOfBlanksInsideAWeightTakeLinearTime() throws MergeException {
        String blanks = " ".repeat(4_000_000);
        assertThat(Arrays.compareUnsigned(encode(padded(0, " "), blanks + "a"), encode(padded(0, " "), blanks)))
                .isPositive();
        assertThat(Arrays.compareUnsigned(encode(padded(0, " "), blanks + "\t"), encode(padded(0, " "), "")))
                .isNegative();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "NUMBER; ''",
                "NUMBER; -",
                "NUMBER; 1e5",
                "NUMBER; 1.",
                "NUMBER; .5",
                "NUMBER; 1.2.3",
                "NUMBER; +1",
                "NUMBER; x",
                "DOUBLE; ''",
                "DOUBLE; -",
                "DOUBLE; nan",
                "DOUBLE; inf",
                "DOUBLE; 1e",
                "DOUBLE; 1e+",
                "DOUBLE; 1e999",
                "DOUBLE; 1d",
                "DOUBLE; 0x1p3",
                "DOUBLE; 1.",
                "DOUBLE; .5",
                "DOUBLE; ' 1'",
                "DOUBLE; 1.e5",
                "DOUBLE; 1e5x",
                "TIME; ''",
                "TIME; 1:00:00",
                "TIME; 01:00",
                "TIME; 01:60:00",
                "TIME; 01:00:60",
                "TIME; 01:00:00.",
                "TIME; 01:00:00.1234567",
                "TIME; 01:0a:00",
                "TIME; aa:00:00",
                "TIME; 01:00:0",
                "TIME; 01-00-00",
                "TIME; 01:00:00x12",
                "TIME; 01:00:00.12x",
                "TIME; 1234567890:00:00",
                "TIME; --01:00:00",
                "TIME; 12",
            })
    void refusesTextThatIsNotAValueOfItsType(KeyComparison comparison, String text) {
        assertThatThrownBy(() -> encode(key(0, comparison), text)).isInstanceOfSatisfying(MergeException.class, e -> {
            assertThat(e.kind()).isEqualTo(MergeException.MergeFailure.MALFORMED_VALUE);
            assertThat(e).hasMessageStartingWith("column 0: expected a").hasMessageEndingWith("\"" + text + "\"");
        });
    }

    @Test
    void refusesNumbersLongerThanAnyServerSends() {
        assertThatThrownBy(() -> encode(key(0, KeyComparison.NUMBER), "1".repeat(101)))
                .isInstanceOf(MergeException.class);
        assertThatThrownBy(() -> encode(key(0, KeyComparison.NUMBER), "0." + "1".repeat(101)))
                .isInstanceOf(MergeException.class);
    }

    @Test
    void refusesWeightsOfABrokenUnit() {
        assertThatThrownBy(() -> encode(padded(0, "\0 "), "\0A\0"))
                .isInstanceOf(MergeException.class)
                .hasMessage("column 0: expected a weight in units of 2 bytes, found \"\\x00A\\x00\"");
    }

    @Test
    void refusesAPaddedKeyWithoutPad() {
        assertThatThrownBy(() -> KeyEncoder.forOrder(List.of(padded(3, ""))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("column 3");
    }

    @ParameterizedTest
    @CsvSource({
        "0.1, 1e-1", "123456789012345, 1.23456789012345e14", "1234567890123456, 1.234567890123456e15",
        "0.000000000000001, 1e-15", "5e-324, 4.9e-324", "1.7976931348623157e308, 1.7976931348623157E+308",
    })
    void readsADoubleTheSameOnBothWays(String a, String b) throws MergeException {
        assertThat(encode(key(0, KeyComparison.DOUBLE), a)).isEqualTo(encode(key(0, KeyComparison.DOUBLE), b));
    }

    @Test
    void readsDoublesAsTheLanguageDoes() throws Exception {
        Random random = new Random(SEED);
        for (int i = 0; i < 20_000; i++) {
            String text = new BigDecimal(random.nextLong() >> random.nextInt(60))
                    .movePointLeft(random.nextInt(20))
                    .toPlainString();
            byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
            assertThat(DoubleText.parse(bytes, 0, bytes.length))
                    .as("%s, seed %d", text, SEED)
                    .isEqualTo(Double.parseDouble(text));
        }
    }
}
