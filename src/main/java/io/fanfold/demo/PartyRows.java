package io.fanfold.demo;

import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * The rows of the tables {@code customer} and {@code supplier}. They differ only in the customers' market segment.
 *
 * @param name the table
 * @param units the number of rows
 * @param seed of the random values
 * @param segments whether rows end with a market segment
 */
record PartyRows(String name, long units, long seed, boolean segments) implements SsbTable {
    private static final List<String> SEGMENTS =
            List.of("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY");

    static PartyRows customers(int rows, long seed) {
        return new PartyRows("customer", rows, seed, true);
    }

    static PartyRows suppliers(int rows, long seed) {
        return new PartyRows("supplier", rows, seed, false);
    }

    @Override
    public long rows() {
        return units;
    }

    @Override
    public int append(StringBuilder to, long unit) {
        SplittableRandom random = SsbTable.random(seed, name, unit);
        Places.Place place = Places.draw(random);
        long key = unit + 1;
        RowWriter row = new RowWriter(to)
                .begin()
                .number(key)
                .text(String.format(Locale.ROOT, "%s#%09d", segments ? "Customer" : "Supplier", key))
                .text(Places.address(random))
                .text(place.city())
                .text(place.nation())
                .text(place.region())
                .text(place.phone());
        if (segments) {
            row.text(SEGMENTS.get(random.nextInt(SEGMENTS.size())));
        }
        row.end();
        return 1;
    }
}
