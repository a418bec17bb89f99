package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.KeyColumn;
import io.fanfold.catalog.KeyType;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import org.junit.jupiter.api.Test;

class KeyListTest {
    private static KeyType type(String column) {
        return KeyColumn.of("CREATE TABLE `t` (\n  `k` " + column + " NOT NULL,\n  PRIMARY KEY (`k`)\n) ENGINE=InnoDB")
                .get(0)
                .type();
    }

    private static KeyList list(String literals, int keys) {
        return new KeyList("k", literals.getBytes(StandardCharsets.US_ASCII), keys, false);
    }

    @Test
    void keysHaveTheirPositionsInTheKey() {
        assertThat(list("7,-3", 2).positions(type("int")))
                .containsExactly(BigInteger.valueOf(7), BigInteger.valueOf(-3));
        assertThat(list("DATE'1994-01-02'", 1).positions(type("date")))
                .containsExactly(BigInteger.valueOf(LocalDate.of(1994, 1, 2).toEpochDay()));
    }

    @Test
    void whatIsNoValueOfTheTypeHasNoPosition() {
        assertThat(list("7,DATE'1994-01-02'", 2).positions(type("int"))).containsExactly(BigInteger.valueOf(7));
        assertThat(KeyList.none("k").positions(type("int"))).isEmpty();
    }

    @Test
    void aSargableListHidesNoColumn() {
        KeyList hidden = list("7", 1);
        assertThat(hidden.before()).asString(StandardCharsets.UTF_8).isEqualTo("IF(k IN (");
        assertThat(hidden.asSargable().before())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("k IN (");
        assertThat(hidden.asSargable().literals()).isSameAs(hidden.literals());
    }
}
