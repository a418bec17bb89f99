package io.fanfold.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.FanOutConfig.Mode;
import org.junit.jupiter.api.Test;

class AccountsConfigTest {
    @Test
    void theMostSpecificEntryHolds() {
        AccountsConfig accounts = TablesText.accounts(
                "\"*\": {mode: off}", "rep*: {mode: observe}", "report: {mode: on}", "r*: {mode: off}");
        assertThat(accounts.mode("report")).contains(Mode.ON);
        assertThat(accounts.mode("reports")).contains(Mode.OBSERVE);
        assertThat(accounts.mode("root")).contains(Mode.OFF);
        assertThat(accounts.mode("app")).contains(Mode.OFF);
        assertThat(accounts.mode("Report")).as("user names are case-sensitive").contains(Mode.OFF);
    }

    @Test
    void noEntryNoMode() {
        assertThat(AccountsConfig.defaults().mode("app")).isEmpty();
        assertThat(TablesText.accounts("report: {mode: on}").mode("app")).isEmpty();
    }

    @Test
    void isOffOnlyIfNothingIsOn() {
        FanfoldConfig config = FanfoldConfig.defaults();
        FanfoldConfig off = config.withFanOut(config.fanOut().withMode(Mode.OFF));
        assertThat(config.offEverywhere()).isFalse();
        assertThat(off.offEverywhere()).isTrue();
        assertThat(off.withAccounts(TablesText.accounts("a: {mode: observe}")).offEverywhere())
                .isFalse();
        assertThat(off.withTables(TablesText.read("a.b: {degree: 2}")).offEverywhere())
                .isTrue();
        assertThat(off.withTables(TablesText.read("a.b: {mode: on}")).offEverywhere())
                .isFalse();
    }
}
