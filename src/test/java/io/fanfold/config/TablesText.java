package io.fanfold.config;

import java.util.Map;

/** Settings of tables and accounts for tests, from the text of a settings file. */
public final class TablesText {
    private TablesText() {}

    /**
     * Reads entries.
     *
     * @param entries one line each, such as {@code shop.orders: {degree: 4}}
     */
    public static TablesConfig read(String... entries) {
        return config("tables", entries).tables();
    }

    /**
     * Reads entries of accounts.
     *
     * @param entries one line each, such as {@code app: {mode: off}}
     */
    public static AccountsConfig accounts(String... entries) {
        return config("accounts", entries).accounts();
    }

    private static FanfoldConfig config(String group, String... entries) {
        String text = group + ":\n  " + String.join("\n  ", entries);
        return new ConfigLoader(Map.<String, String>of()::get).parse("f.yaml", text, null);
    }
}
