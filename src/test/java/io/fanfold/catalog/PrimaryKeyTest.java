package io.fanfold.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrimaryKeyTest {
    private static String table(String... lines) {
        return "CREATE TABLE `t` (\n  " + String.join(",\n  ", lines) + "\n) ENGINE=InnoDB";
    }

    @Test
    void theColumnsAreInTheOrderOfTheKey() {
        assertThat(PrimaryKey.columns(
                        table("`a` int NOT NULL", "`b` int NOT NULL", "PRIMARY KEY (`b`,`a`)", "KEY `k` (`a`)")))
                .containsExactly("b", "a");
    }

    @Test
    void prefixesAndDescendingColumnsCount() {
        assertThat(PrimaryKey.columns(table("PRIMARY KEY (`a`(10),`b` DESC,`c`) USING BTREE")))
                .containsExactly("a", "b", "c");
    }

    @Test
    void quotesInNamesAreDoubled() {
        assertThat(PrimaryKey.columns(table("PRIMARY KEY (`a``b`,`c,d`)"))).containsExactly("a`b", "c,d");
        assertThat(PrimaryKey.columns("CREATE TABLE \"t\" (\n  PRIMARY KEY (\"a\"\"b\",\"c`\")\n)"))
                .containsExactly("a\"b", "c`");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UNIQUE KEY `u` (`a`)",
                "PRIMARY KEY (`a`,`p` WITHOUT OVERLAPS)",
                "PRIMARY KEY (a)",
                "PRIMARY KEY (`a`",
                "`x\n  PRIMARY KEY (``a``)` int",
                "`x\n  PRIMARY KEY (\"a\")` int",
                "`x\n  PRIMARY KEY (``a``)` int,\n  PRIMARY KEY (`x`)"
            })
    void whatIsNotUnderstoodHasNoKey(String line) {
        assertThat(PrimaryKey.columns(table(line))).isEmpty();
    }

    @Test
    void aViewHasNone() {
        assertThat(PrimaryKey.columns("CREATE VIEW `v` AS SELECT '\n  PRIMARY KEY (`a`)'"))
                .isEmpty();
    }
}
