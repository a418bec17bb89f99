package io.fanfold.demo;

import java.math.BigDecimal;

/**
 * The numbers of rows of the Star Schema Benchmark's tables. The big table grows with the scale as the benchmark
 * specifies. The dimensions have lower bounds, so that every query finds rows even at a small scale.
 *
 * @param lineorders rows of lineorder: 6,000,000 at scale 1
 * @param customers rows of customer: 30,000 at scale 1
 * @param suppliers rows of supplier: 2,000 at scale 1
 * @param parts rows of part: 200,000 at scale 1
 */
public record SsbScale(long lineorders, int customers, int suppliers, int parts) {
    /** The smallest scale, 600 rows of lineorder. */
    public static final BigDecimal MIN = new BigDecimal("0.0001");

    /** The largest scale, 600 million rows of lineorder. */
    public static final BigDecimal MAX = new BigDecimal("100");

    /** @throws IllegalArgumentException if the scale is outside {@link #MIN} to {@link #MAX} */
    public static SsbScale of(BigDecimal scale) {
        if (scale.compareTo(MIN) < 0 || scale.compareTo(MAX) > 0) {
            throw new IllegalArgumentException("scale " + scale + " (expected: " + MIN + ".." + MAX + ")");
        }
        double factor = scale.doubleValue();
        double partFactor = factor <= 1 ? factor : 1 + Math.log(factor) / Math.log(2);
        return new SsbScale(
                scale.multiply(BigDecimal.valueOf(6_000_000)).longValue(),
                Math.max(3_000, (int) Math.round(30_000 * factor)),
                Math.max(1_000, (int) Math.round(2_000 * factor)),
                Math.max(2_000, (int) Math.round(200_000 * partFactor)));
    }
}
