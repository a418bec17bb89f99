package io.fanfold.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.AccountsConfig.AccountEntry;
import io.fanfold.config.FanOutConfig.Mode;
import org.junit.jupiter.api.Test;

class AccountsConfigTest {
    @Test
    void theMostSpecificEntryHolds() {
        AccountsConfig accounts = TablesText.accounts(
                "\"*\": {mode: off}", "rep*: {mode: observe}", "report: {mode: on}", "r*: {mode: off}");
        assertThat(accounts.entry("report").map(AccountEntry::mode)).contains(Mode.ON);
        assertThat(accounts.entry("reports").map(AccountEntry::mode)).contains(Mode.OBSERVE);
        assertThat(accounts.entry("root").map(AccountEntry::mode)).contains(Mode.OFF);
        assertThat(accounts.entry("app").map(AccountEntry::mode)).contains(Mode.OFF);
        assertThat(accounts.entry("Report").map(AccountEntry::mode))
                .as("user names are case-sensitive")
                .contains(Mode.OFF);
    }

    @Test
    void noEntryNoSettings() {
        assertThat(AccountsConfig.defaults().entry("app")).isEmpty();
        assertThat(TablesText.accounts("report: {mode: on}").entry("app")).isEmpty();
    }

    @Test
    void isOffOnlyIfNothingIsOn() {
        FanfoldConfig config = FanfoldConfig.defaults();
        FanfoldConfig off = config.withFanOut(config.fanOut().withMode(Mode.OFF));
        assertThat(config.offEverywhere()).isFalse();
        assertThat(off.offEverywhere()).isTrue();
        assertThat(off.withAccounts(TablesText.accounts("a: {mode: observe}")).offEverywhere())
                .isFalse();
        assertThat(off.withAccounts(TablesText.accounts("a: {reuse: on}")).offEverywhere())
                .isTrue();
        assertThat(off.withTables(TablesText.read("a.b: {degree: 2}")).offEverywhere())
                .isTrue();
        assertThat(off.withTables(TablesText.read("a.b: {mode: on}")).offEverywhere())
                .isFalse();
    }

    @Test
    void reusesIfAnyTableOrAccountDoes() {
        FanfoldConfig config = FanfoldConfig.defaults();
        assertThat(config.reuses()).isFalse();
        assertThat(config.withAccounts(TablesText.accounts("a: {mode: on}")).reuses())
                .isFalse();
        assertThat(config.withAccounts(TablesText.accounts("a: {reuse: on}")).reuses())
                .isTrue();
        assertThat(config.withTables(TablesText.read("a.b: {reuse: on}")).reuses())
                .isTrue();
    }
}
