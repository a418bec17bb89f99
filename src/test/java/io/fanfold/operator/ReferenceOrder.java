package io.fanfold.operator;

import io.fanfold.plan.SortKey;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A second, slow implementation of the comparisons of SortKey without encoding, and random values for them. */
final class ReferenceOrder {
    private static final String[] PADDED = {"", "a", "b", "\t", " ", "!", "a ", "a\t", "a!", "aa"};

    private ReferenceOrder() {}

    static Comparator<List<@Nullable String>> of(List<SortKey> keys, boolean withDirection) {
        return (a, b) -> {
            for (SortKey key : keys) {
                int order = compare(key, a.get(key.column()), b.get(key.column()));
                if (order != 0) {
                    return withDirection && key.descending() ? -order : order;
                }
            }
            return 0;
        };
    }

    static int compare(SortKey key, @Nullable String a, @Nullable String b) {
        if (a == null || b == null) {
            return Boolean.compare(a != null, b != null);
        }
        return switch (key.comparison()) {
            case NUMBER -> new BigDecimal(a).compareTo(new BigDecimal(b));
            case DOUBLE -> Double.compare(Double.parseDouble(a) + 0.0, Double.parseDouble(b) + 0.0);
            case TIME -> seconds(a).compareTo(seconds(b));
            case DATE, BYTES, WEIGHT -> Arrays.compareUnsigned(bytes(a), bytes(b));
            case WEIGHT_PAD -> {
                int length = Math.max(a.length(), b.length());
                yield Arrays.compareUnsigned(padded(key, a, length), padded(key, b, length));
            }
        };
    }

    private static byte[] padded(SortKey key, String text, int length) {
        byte[] value = Arrays.copyOf(bytes(text), length);
        for (int i = text.length(); i < length; i++) {
            value[i] = key.pad()[(i - text.length()) % key.pad().length];
        }
        return value;
    }

    private static BigDecimal seconds(String time) {
        boolean negative = time.startsWith("-");
        String[] parts = time.substring(negative ? 1 : 0).split(":");
        BigDecimal seconds = new BigDecimal(parts[0])
                .multiply(BigDecimal.valueOf(3600))
                .add(new BigDecimal(parts[1]).multiply(BigDecimal.valueOf(60)))
                .add(new BigDecimal(parts[2]));
        return negative ? seconds.negate() : seconds;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Returns one of few values, so that equal ones occur; rarely null. */
    static @Nullable String value(SortKey key, Random random) {
        if (random.nextInt(12) == 0) {
            return null;
        }
        return switch (key.comparison()) {
            case NUMBER -> number(random);
            case DOUBLE -> number(random) + (random.nextInt(3) == 0 ? "e" + (random.nextInt(41) - 20) : "");
            case TIME -> time(random);
            case DATE ->
                String.format(
                        Locale.ROOT, "20%02d-1%d-0%d", random.nextInt(3), random.nextInt(3), 1 + random.nextInt(2));
            case BYTES, WEIGHT -> string(random, random.nextInt(20), 3);
            case WEIGHT_PAD -> units(key, random);
        };
    }

    private static String number(Random random) {
        String sign = random.nextBoolean() ? "-" : "";
        String zeros = "0".repeat(random.nextInt(5) / 3);
        String whole = random.nextInt(6) == 0 ? "9".repeat(1 + random.nextInt(35)) : "" + random.nextInt(12);
        String fraction = random.nextBoolean() ? "" : "." + random.nextInt(12) + "0".repeat(random.nextInt(3));
        return sign + zeros + whole + fraction;
    }

    private static String time(Random random) {
        String text = (random.nextBoolean() ? "-" : "")
                + (random.nextInt(3) == 0 ? "838" : "0" + random.nextInt(3))
                + ":0" + random.nextInt(2)
                + ":" + (random.nextBoolean() ? "00" : "59");
        return random.nextBoolean() ? text : text + (random.nextBoolean() ? ".000" : ".500000");
    }

    private static String string(Random random, int length, int alphabet) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append("\0a\u00ff".charAt(random.nextInt(alphabet)));
        }
        return text.toString();
    }

    private static String units(SortKey key, Random random) {
        String pad = new String(key.pad(), StandardCharsets.ISO_8859_1);
        List<String> units = new ArrayList<>(List.of(pad, pad, pad));
        for (int delta : new int[] {-1, 1}) {
            int changed = random.nextInt(pad.length());
            char[] unit = pad.toCharArray();
            unit[changed] = (char) (unit[changed] + delta & 0xff);
            units.add(new String(unit));
        }
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(24); i > 0; i--) {
            text.append(units.get(random.nextInt(units.size())));
        }
        return text.append(pad.repeat(random.nextInt(4))).toString();
    }

    /** Returns short strings around the blank, to compare all pairs. */
    static List<String> paddedExamples() {
        return List.of(PADDED);
    }
}
