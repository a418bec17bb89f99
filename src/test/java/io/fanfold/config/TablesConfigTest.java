package io.fanfold.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.FanOutConfig.Approximate;
import io.fanfold.config.FanOutConfig.Mode;
import io.fanfold.config.SnapshotConfig.Consistency;
import io.fanfold.config.SnapshotConfig.TableLocks;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TablesConfigTest {
    private static final FanOutConfig BASE = FanOutConfig.defaults();

    private static TableEntry entry(String keys) {
        return TablesText.read("a.b: " + keys).entries().get(0);
    }

    private static FanOutConfig over(String keys) {
        return entry(keys).over(BASE);
    }

    @ParameterizedTest
    @CsvSource({
        "shop.orders, shop.orders",
        "shop.order_items, shop.order*",
        "shop.orchids, shop.or*",
        "shop.items, shop.*",
        "other.orders, *.orders",
        "other.items, *.*",
        "shop.log_1, shop.log_?",
        "shop.log_12, shop.log_*",
        "a.xy, a.x*",
        "a.zy, a.*y",
    })
    void theMostSpecificEntryHolds(String table, String key) {
        TablesConfig tables = TablesText.read(
                "\"*.*\": {}",
                "shop.*: {}",
                "\"*.orders\": {}",
                "shop.or*: {}",
                "shop.log_?: {}",
                "shop.log_*: {}",
                "shop.orders: {}",
                "shop.order*: {}",
                "a.x*: {}",
                "a.*y: {}");
        String[] names = table.split("\\.");
        assertThat(tables.entry(names[0], names[1], true).orElseThrow().name().text())
                .isEqualTo(key);
    }

    @Test
    void noEntryHoldsForOtherTables() {
        assertThat(TablesText.read("shop.orders: {}").entry("shop", "items", true))
                .isEmpty();
        assertThat(TablesText.read("shop.orders: {}").entry("Shop", "orders", true))
                .isEmpty();
        assertThat(TablesText.read("shop.orders: {}").entry("Shop", "orders", false))
                .isPresent();
    }

    @Test
    void keysMissingInAnEntryHaveTheValueOfFanOut() {
        assertThat(over("{}")).isEqualTo(BASE);
        assertThat(over("{mode: off}").mode()).isEqualTo(Mode.OFF);
        assertThat(over("{degree: 3}").degree()).isEqualTo(3);
        assertThat(over("{min-rows: 0}").minRows()).isZero();
        assertThat(over("{consistency: relaxed}").snapshots())
                .isEqualTo(BASE.snapshots().withConsistency(Consistency.RELAXED));
        assertThat(over("{table-locks: allow}").snapshots())
                .isEqualTo(BASE.snapshots().withTableLocks(TableLocks.ALLOW));
        assertThat(over("{approximate: allow}").approximate()).isEqualTo(Approximate.ALLOW);
        assertThat(over("{dynamic-filters: off}").filters())
                .isEqualTo(BASE.filters().withDynamic(FilterConfig.Dynamic.OFF));
        assertThat(over("{degree: 3}")).isEqualTo(BASE.withDegree(3).withCores(BASE.cores()));
    }

    @Test
    void anEntryOverridesFanOut() {
        FanOutConfig allowing = over("{consistency: relaxed, table-locks: allow, approximate: allow}");
        FanOutConfig strict = entry("{consistency: strict, table-locks: refuse, approximate: refuse}")
                .over(allowing);
        assertThat(strict).isEqualTo(over("{table-locks: refuse}"));
    }

    @Test
    void severalTablesHaveTheLargestNumbersAndTheStrictestRules() {
        FanOutConfig one =
                over("{degree: 3, min-rows: 7, consistency: relaxed, table-locks: allow, approximate: allow}");
        FanOutConfig other = over("{degree: 2, min-rows: 9, table-locks: refuse}");
        for (List<FanOutConfig> both : List.of(List.of(one, other), List.of(other, one))) {
            FanOutConfig together = FanOutConfig.together(both);
            assertThat(together.degree()).isEqualTo(3);
            assertThat(together.minRows()).isEqualTo(9);
            assertThat(together.snapshots().consistency()).isEqualTo(Consistency.STRICT);
            assertThat(together.snapshots().tableLocks()).isEqualTo(TableLocks.REFUSE);
            assertThat(together.approximate()).isEqualTo(Approximate.REFUSE);
        }
        assertThat(FanOutConfig.together(List.of(one, one))).isEqualTo(one);
        assertThat(FanOutConfig.together(List.of(other))).isEqualTo(other);
    }

    @Test
    void aTableThatIsOnlyReadForbidsAndAllowsNothing() {
        FanOutConfig split = over("{consistency: relaxed, table-locks: allow, approximate: allow}");
        String all = "mode: off, degree: 2, min-rows: 3";
        assertThat(entry("{" + all + ", consistency: relaxed, table-locks: allow, approximate: allow}")
                        .forbidding(BASE))
                .isEqualTo(BASE);
        assertThat(entry("{" + all + "}").forbidding(split)).isEqualTo(split);
        FanOutConfig forbidden = entry("{consistency: strict, table-locks: refuse, approximate: refuse}")
                .forbidding(split);
        assertThat(forbidden).isEqualTo(over("{table-locks: refuse}"));
        assertThat(entry("{dynamic-filters: off}").forbidding(split).filters().dynamic())
                .isEqualTo(FilterConfig.Dynamic.OFF);
        FanOutConfig off = over("{dynamic-filters: off}");
        assertThat(entry("{dynamic-filters: on}").forbidding(off)).isEqualTo(off);
        assertThat(FanOutConfig.together(List.of(BASE, off)).filters().dynamic())
                .isEqualTo(FilterConfig.Dynamic.OFF);
    }

    @Test
    void oneOfSeveralPossibleTablesIsEnoughToAllow() {
        FanOutConfig off = over("{mode: off, min-rows: 9}");
        FanOutConfig on = over("{min-rows: 3, approximate: allow}");
        for (List<FanOutConfig> both : List.of(List.of(on, off), List.of(off, on))) {
            FanOutConfig loosest = FanOutConfig.loosest(both);
            assertThat(loosest.mode()).isEqualTo(Mode.ON);
            assertThat(loosest.minRows()).isEqualTo(3);
            assertThat(loosest.approximate()).isEqualTo(Approximate.ALLOW);
        }
        assertThat(FanOutConfig.loosest(List.of(off, off)).mode()).isEqualTo(Mode.OFF);
        assertThat(FanOutConfig.loosest(List.of(off, off)).approximate()).isEqualTo(Approximate.REFUSE);
    }
}
