package io.fanfold.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TablePatternTest {
    private static TablePattern pattern(String text) {
        return TablePattern.parse(text).orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        "shop.orders, shop, orders, true",
        "shop.orders, shop, order, false",
        "shop.orders, shop, orders2, false",
        "shop.orders, Shop, orders, false",
        "*.*, shop, orders, true",
        "*.orders, shop, orders, true",
        "shop.*, shopping, orders, false",
        "log_*.*, log_, x, true",
        "log_*.*, log_2024, x, true",
        "log_*.*, log, x, false",
        "log_????.*, log_2024, x, true",
        "log_????.*, log_202, x, false",
        "log_????.*, log_20245, x, false",
        "s.*a*b, s, xaxxb, true",
        "s.*a*b, s, ab, true",
        "s.*a*b, s, aab, true",
        "s.*a*b, s, aba, false",
        "s.*ab*ab*ab, s, ababxab, true",
        "s.*aaaaaaaaaaaaaaaaaaaa*aaaaaaaaaaaaaaaaaaaa*b, s,"
                + " aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, false",
        "`a.b`.c, a.b, c, true",
        "`a``b`.`c`, a`b, c, true",
        "`*`.x, *, x, true",
        "`*`.x, y, x, false",
        "*.`a?`, s, a?, true",
        "*.`a?`, s, ab, false",
        "*.?, s, ü, true",
    })
    void matchesNamesAsTheyAreWritten(String text, String schema, String table, boolean matches) {
        assertThat(pattern(text).matches(schema, table, true)).isEqualTo(matches);
    }

    @ParameterizedTest
    @CsvSource({
        "Shop.Orders, shop, ORDERS, true",
        "SHOP.O*, shop, orders, true",
        "ÜB.*, üb, x, true",
        "shop.orders, shop, order, false",
    })
    void ignoresCaseIfTheServerDoes(String text, String schema, String table, boolean matches) {
        assertThat(pattern(text).matches(schema, table, false)).isEqualTo(matches);
        assertThat(pattern(text).matches(schema, table, true)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "shop.orders, shop, orders, 0",
        "shop.ordrs, shop, orders, 1",
        "shpo.orders, shop, orders, 1",
        "shop.orders, shop, items, 4",
        "shop.orders, shop, customers, 6",
        "shpo.*, shop, orders, 1",
        "log_*.*, shop, orders, 4",
        "s.ab?d, s, abxd, 0",
        "s.`ab?d`, s, abxd, 1",
        "s.`a*`, s, abcd, 3",
        "*.*, x, y, 0",
    })
    void computesTheDistanceOfAName(String text, String schema, String table, int distance) {
        assertThat(pattern(text).distance(schema, table)).isEqualTo(distance);
    }

    @ParameterizedTest
    @CsvSource({
        "shop.orders, true, 10",
        "`sh*p`.orders, true, 10",
        "sh*p.orders, false, 9",
        "shop.order?, false, 9",
        "*.*, false, 0",
    })
    void knowsHowSpecificItIs(String text, boolean exact, int literals) {
        assertThat(pattern(text).exact()).isEqualTo(exact);
        assertThat(pattern(text).literals()).isEqualTo(literals);
    }
}
