package io.fanfold.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FanOutConfig.Mode;
import io.fanfold.config.ReuseConfig.Reuse;
import io.fanfold.config.TablesText;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableSettingsTest {
    private static final TableName TABLE = new TableName("shop", "t");

    @ParameterizedTest
    @CsvSource({
        // fan-out, account, table, and what holds; - means that the entry has no such setting
        "OFF, -, -, OFF",
        "OFF, -, ON, ON",
        "ON, -, OFF, OFF",
        "OFF, ON, -, ON",
        "OFF, ON, ON, ON",
        "ON, ON, OFF, OFF",
        "ON, OFF, -, OFF",
        "ON, OFF, ON, OFF",
        "OFF, OFF, ON, OFF",
    })
    void theLesserSettingOfTableAndAccountHolds(String fanOut, String account, String table, String expected) {
        FanOutConfig chosen = settings(fanOut, account, table).of(TABLE);
        assertThat(chosen.mode()).isEqualTo(Mode.valueOf(expected));
        assertThat(chosen.reuse().mode()).isEqualTo(Reuse.valueOf(expected));
    }

    private static TableSettings settings(String fanOut, String account, String table) {
        FanOutConfig base = FanOutConfig.defaults();
        return new TableSettings(
                base.withMode(Mode.valueOf(fanOut)).withReuse(base.reuse().withMode(Reuse.valueOf(fanOut))),
                TablesText.read("shop.t: " + entry(table)),
                TablesText.accounts("app: " + entry(account)).entry("app"),
                true);
    }

    private static String entry(String value) {
        return value.equals("-") ? "{}" : "{mode: V, reuse: V}".replace("V", value.toLowerCase(Locale.ROOT));
    }
}
