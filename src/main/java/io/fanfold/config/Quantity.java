package io.fanfold.config;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Durations and sizes as text in the settings: an integer directly followed by a unit. Safe for use by multiple
 * threads.
 */
public final class Quantity {
    private static final Map<String, Long> MILLIS = new LinkedHashMap<>();
    private static final Map<String, Long> BYTES = new LinkedHashMap<>();

    static {
        MILLIS.put("ms", 1L);
        MILLIS.put("s", 1_000L);
        MILLIS.put("m", 60_000L);
        MILLIS.put("h", 3_600_000L);
        BYTES.put("B", 1L);
        BYTES.put("KiB", 1L << 10);
        BYTES.put("MiB", 1L << 20);
        BYTES.put("GiB", 1L << 30);
    }

    private Quantity() {}

    /** Parses milliseconds such as {@code 200ms}, {@code 5s}, {@code 10m}, {@code 1h}; empty if the text is invalid. */
    static OptionalLong millis(String text) {
        return parse(text, MILLIS);
    }

    /** Parses bytes such as {@code 512B}, {@code 64KiB}, {@code 256MiB}, {@code 1GiB}; empty if the text is invalid. */
    static OptionalLong bytes(String text) {
        return parse(text, BYTES);
    }

    /** Returns the shortest text for a duration of whole milliseconds, such as {@code 250ms} or {@code 5s}. */
    public static String text(Duration duration) {
        return text(duration.toMillis(), MILLIS);
    }

    /** Returns the shortest text that {@link #bytes} reads as this size. */
    static String text(long bytes) {
        return text(bytes, BYTES);
    }

    /** Parses a percentage such as {@code 0.1%} or {@code 0} as a fraction; empty if the text is invalid. */
    static OptionalDouble share(String text) {
        if (text.equals("0")) {
            return OptionalDouble.of(0);
        }
        String digits = text.endsWith("%") ? text.substring(0, text.length() - 1) : "";
        boolean number = digits.length() <= 18
                && digits.chars().allMatch(c -> c == '.' || c >= '0' && c <= '9')
                && digits.chars().filter(c -> c == '.').count() <= 1
                && !digits.isEmpty()
                && !digits.startsWith(".")
                && !digits.endsWith(".");
        double percent = number ? Double.parseDouble(digits) : -1;
        return percent < 0 || percent > 100 ? OptionalDouble.empty() : OptionalDouble.of(percent / 100);
    }

    /** Returns the shortest percentage that {@link #share} reads as this fraction, such as {@code 0.1%}. */
    public static String share(double fraction) {
        return BigDecimal.valueOf(fraction)
                        .movePointRight(2)
                        .stripTrailingZeros()
                        .toPlainString() + "%";
    }

    private static OptionalLong parse(String text, Map<String, Long> units) {
        int digits = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
            digits++;
        }
        Long unit = units.get(text.substring(digits));
        if (digits == 0 || digits > 18 || unit == null) {
            return OptionalLong.empty();
        }
        long count = Long.parseLong(text.substring(0, digits));
        return count > Long.MAX_VALUE / unit ? OptionalLong.empty() : OptionalLong.of(count * unit);
    }

    private static String text(long amount, Map<String, Long> units) {
        String best = "";
        for (Map.Entry<String, Long> unit : units.entrySet()) {
            if (best.isEmpty() || amount != 0 && amount % unit.getValue() == 0) {
                best = amount / unit.getValue() + unit.getKey();
            }
        }
        return best;
    }
}
