package io.fanfold.demo;

import java.util.List;
import java.util.SplittableRandom;

/**
 * The rows of the table {@code part}: 5 manufacturers with 5 categories each, with 40 brands each.
 *
 * @param units the number of rows
 * @param seed of the random values
 */
record PartRows(long units, long seed) implements SsbTable {
    private static final List<String> COLORS = List.of(
            "almond", "azure", "beige", "blue", "brown", "coral", "cream", "cyan", "forest", "green", "ivory", "khaki",
            "lemon", "linen", "maroon", "navy", "olive", "orchid", "peach", "pink", "plum", "red", "rose", "tan",
            "violet", "white");
    private static final List<String> KINDS = List.of("STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO");
    private static final List<String> FINISHES = List.of("ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED");
    private static final List<String> METALS = List.of("TIN", "NICKEL", "BRASS", "STEEL", "COPPER");
    private static final List<String> BOXES = List.of("SM", "LG", "MED", "JUMBO", "WRAP");
    private static final List<String> FORMS = List.of("CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM");

    @Override
    public String name() {
        return "part";
    }

    @Override
    public long rows() {
        return units;
    }

    @Override
    public int append(StringBuilder to, long unit) {
        SplittableRandom random = SsbTable.random(seed, "part", unit);
        String color = draw(COLORS, random);
        String maker = "MFGR#" + random.nextInt(1, 6);
        String category = maker + random.nextInt(1, 6);
        new RowWriter(to)
                .begin()
                .number(unit + 1)
                .text(color + " " + draw(COLORS, random))
                .text(maker)
                .text(category)
                .text(category + random.nextInt(1, 41))
                .text(color)
                .text(draw(KINDS, random) + " " + draw(FINISHES, random) + " " + draw(METALS, random))
                .number(random.nextInt(1, 51))
                .text(draw(BOXES, random) + " " + draw(FORMS, random))
                .end();
        return 1;
    }

    private static String draw(List<String> texts, SplittableRandom random) {
        return texts.get(random.nextInt(texts.size()));
    }
}
