package io.fanfold.plan;

import java.math.BigInteger;
import java.util.Comparator;
import java.util.Optional;

/**
 * A place in the order of an index: before all rows whose first column has at least a value, or, with a second position,
 * before those of these rows whose second column has at least another value. Immutable.
 *
 * @param first a position of the index's first column, see {@link io.fanfold.catalog.KeyType}
 * @param second a position of its second column; empty before all rows with the first value, those with NULL as well
 */
public record KeyBound(BigInteger first, Optional<BigInteger> second) implements Comparable<KeyBound> {
    private static final Comparator<KeyBound> ORDER = Comparator.comparing(KeyBound::first)
            .thenComparing(bound -> bound.second().isPresent())
            .thenComparing(bound -> bound.second().orElse(BigInteger.ZERO));

    /** Returns the bound before all rows with a value of the first column. */
    public static KeyBound before(BigInteger first) {
        return new KeyBound(first, Optional.empty());
    }

    /** Returns the bound that is at a value of the second column. */
    public KeyBound at(BigInteger position) {
        return new KeyBound(first, Optional.of(position));
    }

    /** Returns the bound before all rows with the next value of the first column. */
    public KeyBound next() {
        return before(first.add(BigInteger.ONE));
    }

    @Override
    public int compareTo(KeyBound other) {
        return ORDER.compare(this, other);
    }
}
