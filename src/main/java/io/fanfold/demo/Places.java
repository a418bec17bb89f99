package io.fanfold.demo;

import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** The benchmark's five regions with five nations each, with ten cities each. */
final class Places {
    private static final List<String> REGIONS = List.of("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST");

    /** Five for each region, in the order of the regions. */
    private static final List<String> NATIONS = List.of(
            "ALGERIA",
            "ETHIOPIA",
            "KENYA",
            "MOROCCO",
            "MOZAMBIQUE",
            "ARGENTINA",
            "BRAZIL",
            "CANADA",
            "PERU",
            "UNITED STATES",
            "CHINA",
            "INDIA",
            "INDONESIA",
            "JAPAN",
            "VIETNAM",
            "FRANCE",
            "GERMANY",
            "ROMANIA",
            "RUSSIA",
            "UNITED KINGDOM",
            "EGYPT",
            "IRAN",
            "IRAQ",
            "JORDAN",
            "SAUDI ARABIA");

    private static final int CITY_NAME = 9;

    private Places() {}

    /**
     * A city with its nation and region.
     *
     * @param city the first nine characters of the nation, padded with spaces, and a digit
     * @param phone country code and number
     */
    record Place(String city, String nation, String region, String phone) {}

    /** Draws a city, each with the same probability. */
    static Place draw(SplittableRandom random) {
        int nation = random.nextInt(NATIONS.size());
        String name = NATIONS.get(nation);
        String head = name.length() > CITY_NAME ? name.substring(0, CITY_NAME) : name;
        String city = head + " ".repeat(CITY_NAME - head.length()) + random.nextInt(10);
        String phone = String.format(
                Locale.ROOT,
                "%d-%03d-%03d-%04d",
                10 + nation,
                random.nextInt(100, 1000),
                random.nextInt(100, 1000),
                random.nextInt(1000, 10_000));
        return new Place(city, name, REGIONS.get(nation / 5), phone);
    }

    /** Draws a meaningless street and number. */
    static String address(SplittableRandom random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(8, 16); i > 0; i--) {
            text.append((char) ('a' + random.nextInt(26)));
        }
        return text.append(' ').append(random.nextInt(1, 200)).toString();
    }
}
