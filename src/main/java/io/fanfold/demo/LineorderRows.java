package io.fanfold.demo;

import java.util.List;
import java.util.SplittableRandom;

/**
 * The rows of a table of orders' lines. Orders have 1 to 7 lines. Each unit has seven orders, one of each length, so
 * that any unit can be generated alone. Order keys grow with the order date, as in a shop. All other values are drawn
 * as the benchmark specifies. The price depends on the part.
 *
 * @param name of the table; the rows do not depend on it
 * @param scale the number of rows here and in the dimensions
 * @param seed of the random values
 */
record LineorderRows(String name, SsbScale scale, long seed) implements SsbTable {
    private static final int ORDERS_OF_UNIT = 7;
    private static final int ROWS_OF_UNIT = 28;
    private static final List<String> PRIORITIES = List.of("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECI", "5-LOW");
    private static final List<String> MODES = List.of("REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB");

    @Override
    public long units() {
        return (scale.lineorders() + ROWS_OF_UNIT - 1) / ROWS_OF_UNIT;
    }

    @Override
    public long rows() {
        return scale.lineorders();
    }

    @Override
    public int append(StringBuilder to, long unit) {
        SplittableRandom random = SsbTable.random(seed, "lineorder", unit);
        int wanted = (int) Math.min(ROWS_OF_UNIT, scale.lineorders() - unit * ROWS_OF_UNIT);
        int[] lengths = shuffledLengths(random);
        int made = 0;
        for (int order = 0; order < ORDERS_OF_UNIT && made < wanted; order++) {
            made += order(to, random, unit * ORDERS_OF_UNIT + order, Math.min(lengths[order], wanted - made), made > 0);
        }
        return made;
    }

    private int order(StringBuilder to, SplittableRandom random, long order, int lines, boolean follows) {
        long orders = units() * ORDERS_OF_UNIT;
        int day = (int) (order * SsbCalendar.ORDER_DAYS / orders);
        int date = SsbCalendar.key(SsbCalendar.date(day));
        int customer = random.nextInt(1, scale.customers() + 1);
        String priority = PRIORITIES.get(random.nextInt(PRIORITIES.size()));
        int[] parts = new int[lines];
        int[] quantities = new int[lines];
        long total = 0;
        for (int i = 0; i < lines; i++) {
            parts[i] = random.nextInt(1, scale.parts() + 1);
            quantities[i] = random.nextInt(1, 51);
            total += price(parts[i]) * quantities[i];
        }
        for (int i = 0; i < lines; i++) {
            int discount = random.nextInt(0, 11);
            long extended = price(parts[i]) * quantities[i];
            int commitDay = day + random.nextInt(30, 91);
            if (follows || i > 0) {
                to.append(',');
            }
            new RowWriter(to)
                    .begin()
                    .number(order + 1)
                    .number(i + 1)
                    .number(customer)
                    .number(parts[i])
                    .number(random.nextInt(1, scale.suppliers() + 1))
                    .number(date)
                    .text(priority)
                    .text("0")
                    .number(quantities[i])
                    .number(extended)
                    .number(total)
                    .number(discount)
                    .number(extended * (100 - discount) / 100)
                    .number(6 * price(parts[i]) / 10)
                    .number(random.nextInt(0, 9))
                    .number(SsbCalendar.key(SsbCalendar.date(commitDay)))
                    .text(MODES.get(random.nextInt(MODES.size())))
                    .end();
        }
        return lines;
    }

    /** The retail price of a part in cents, 90,000 to 209,899. */
    private static long price(int part) {
        return 90_000 + part / 10 % 20_001 + 100L * (part % 1000);
    }

    private static int[] shuffledLengths(SplittableRandom random) {
        int[] lengths = new int[ORDERS_OF_UNIT];
        for (int i = 0; i < ORDERS_OF_UNIT; i++) {
            int other = random.nextInt(i + 1);
            lengths[i] = lengths[other];
            lengths[other] = i + 1;
        }
        return lengths;
    }
}
