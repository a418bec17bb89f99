package io.fanfold.config;

import java.util.Map;

/** Table settings for tests, from the text of a settings file. */
public final class TablesText {
    private TablesText() {}

    /**
     * Reads entries.
     *
     * @param entries one line each, such as {@code shop.orders: {degree: 4}}
     */
    public static TablesConfig read(String... entries) {
        String text = "tables:\n  " + String.join("\n  ", entries);
        return new ConfigLoader(Map.<String, String>of()::get)
                .parse("tables.yaml", text, null)
                .tables();
    }
}
