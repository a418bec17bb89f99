package io.fanfold.config;

import java.util.Map;

/** Settings of tables for tests, from the text that would stand in the settings' file. */
public final class TablesText {
    private TablesText() {}

    /**
     * Reads entries.
     *
     * @param entries a line each, such as {@code shop.orders: {degree: 4}}
     */
    public static TablesConfig read(String... entries) {
        String text = "tables:\n  " + String.join("\n  ", entries);
        return new ConfigLoader(Map.<String, String>of()::get)
                .parse("tables.yaml", text, null)
                .tables();
    }
}
