package io.fanfold.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.fanfold.catalog.KeyColumn.Second;
import io.fanfold.catalog.KeyType.Kind;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyColumnTest {
    private static final String TABLE = """
            CREATE TABLE `t` (
              `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT COMMENT 'a key, `x` int',
              `d``ay` date DEFAULT NULL,
              `at` datetime(6) NOT NULL DEFAULT current_timestamp(6),
              `price` decimal(12,2) DEFAULT NULL,
              `name` varchar(20) DEFAULT NULL,
              `stamp` timestamp NULL DEFAULT NULL,
              PRIMARY KEY (`id`,`name`),
              UNIQUE KEY `u` (`price`),
              KEY `by day` (`d``ay`,`id`),
              KEY `at` (`at`) USING BTREE,
              KEY `n` (`name`),
              KEY `ts` (`stamp`),
              KEY `prefix` (`name`(5)),
              KEY `down` (`id` DESC),
              KEY `expr` ((`id` + 1)),
              KEY `gone` (`id`) /*!80000 INVISIBLE */,
              KEY `left` (`id`) IGNORED,
              FULLTEXT KEY `f` (`name`),
              CONSTRAINT `c` FOREIGN KEY (`id`) REFERENCES `o` (`id`)
            ) ENGINE=InnoDB""";

    @Test
    void indexesBeginWithColumnsOnALine() {
        // the primary key follows the only column of an index
        Optional<Second> id = Optional.of(new Second("id", new KeyType(Kind.INTEGER, 0)));
        assertThat(KeyColumn.of(TABLE))
                .containsExactly(
                        new KeyColumn("PRIMARY", "id", new KeyType(Kind.INTEGER, 0), Optional.empty()),
                        new KeyColumn("u", "price", new KeyType(Kind.DECIMAL, 2), id),
                        new KeyColumn("by day", "d`ay", new KeyType(Kind.DATE, 0), id),
                        new KeyColumn("at", "at", new KeyType(Kind.DATETIME, 0), id));
        assertThat(KeyColumn.of(TABLE.replace("``", "\"\"").replace('`', '"')))
                .extracting(KeyColumn::index)
                .containsExactly("PRIMARY", "u", "by day", "at");
    }

    /** Only a whole column in ascending order has ranges. */
    @Test
    void theSecondColumnIsWholeAndAscending() {
        for (String none : List.of(
                "(`id`)",
                "(`id`,`name`(5))",
                "(`id`,`d``ay` DESC)",
                "(`id`,(`price` + 1))",
                "(`id`,`name`)",
                "(`id`,`stamp`,`price`)")) {
            assertThat(KeyColumn.of(TABLE.replace("(`id`,`name`)", none)).get(0).second())
                    .as(none)
                    .isEmpty();
        }
        for (String second : List.of("(`id`,`d``ay`)", "(`id`,`d``ay`,`name`(3))", "(`id`,`d``ay`) USING BTREE")) {
            KeyColumn key = KeyColumn.of(TABLE.replace("(`id`,`name`)", second)).get(0);
            assertThat(key.name()).isEqualTo("id");
            assertThat(key.second()).as(second).contains(new Second("d`ay", new KeyType(Kind.DATE, 0)));
        }
    }

    @Test
    void onlyTheColumnOfThePrimaryKeyIsNeverNull() {
        assertThat(KeyColumn.of(TABLE)).extracting(KeyColumn::nullable).containsExactly(false, true, true, true);
    }

    /** A primary key is never NULL, so a line inside a name must not be taken for one. */
    @Test
    void aLineInsideANameIsNoIndex() {
        for (String inside : List.of("PRIMARY KEY (\"v\")", "PRIMARY KEY (``v``)", "PRIMARY KEY (v)")) {
            String table = "CREATE TABLE `t` (\n  `x\n  " + inside + ",` int DEFAULT NULL,\n  `v` int DEFAULT NULL\n)";
            assertThat(KeyColumn.of(table)).isEmpty();
        }
    }

    @Test
    void aTextThatIsNoTableHasNoKeys() {
        assertThat(KeyColumn.of("")).isEmpty();
        assertThat(KeyColumn.of("CREATE VIEW `v` AS select 1")).isEqualTo(List.of());
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "int(11),              -7,                          -7,           -7",
                "bigint unsigned,      18446744073709551615,        18446744073709551615, 18446744073709551615",
                "\"decimal(12,2)\",    -12.35,                      -1235,        -12.35",
                "\"decimal(5,0)\",     12,                          12,           12",
                "date,                 1970-01-02,                  1,            DATE'1970-01-02'",
                "date,                 0000-00-00,                  -354285,      DATE'1000-01-01'",
                "date,                 2001-02-00,                  -354285,      DATE'1000-01-01'",
                "datetime,             1970-01-02 00:00:01,         86401,        TIMESTAMP'1970-01-02 00:00:01'",
                "datetime(6),          1969-12-31 23:59:59.999999,  -1,           TIMESTAMP'1969-12-31 23:59:59'",
                "varbinary(2),         \"\",                          0,            x''",
            })
    void valuesHavePositionsAndPositionsLiterals(String type, String value, BigInteger position, String literal) {
        KeyType known = KeyType.of(type + " NOT NULL", "").orElseThrow();
        assertThat(known.position(value)).contains(position);
        assertThat(known.literal(position)).isEqualTo(literal);
    }

    @Test
    void textsHaveTheCollationOfTheColumnOrOfTheTable() {
        String columns = """
                CREATE TABLE `t` (
                  `a` char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
                  `b` varchar(9) DEFAULT NULL COMMENT 'DEFAULT CHARSET=x COLLATE=y',
                  `c` varchar(9) CHARACTER SET latin1 DEFAULT NULL,
                  `d` varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_czech_ci DEFAULT NULL,
                  PRIMARY KEY (`a`),
                  KEY `b` (`b`),
                  KEY `c` (`c`),
                  KEY `d` (`d`)
                ) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci""";
        assertThat(KeyColumn.of(columns))
                .extracting(
                        KeyColumn::index,
                        key -> key.type().texts().orElseThrow().collation())
                .containsExactly(
                        tuple("PRIMARY", "ascii_bin"),
                        tuple("b", "utf8mb4_0900_ai_ci"),
                        tuple("c", "latin1_swedish_ci"));
    }

    @ParameterizedTest
    @CsvSource({
        "utf8mb4_bin,        Order-12,    'Order-12'",
        "utf8mb4_bin,        a b,         'a'",
        "utf8mb4_bin,        ~,           'z'",
        "utf8mb4_general_ci, 550e8400-E2, '550e8400-e2'",
        "latin1_swedish_ci,  _a,          '9a'",
    })
    void theLiteralOfATextsPositionIsNearIt(String collation, String text, String literal) {
        TextPositions texts = TextPositions.of(collation).orElseThrow();
        assertThat(texts.literal(texts.position(text))).isEqualTo("'" + literal + "'");
    }

    @ParameterizedTest
    @CsvSource({
        "utf8mb4_0900_ai_ci, true",
        "utf8mb4_0900_as_cs, true",
        "utf8mb4_uca1400_nopad_as_ci, true",
        "utf8mb3_general_mysql500_ci, false",
        "latin1_swedish_ci, true",
        "utf8mb4_swedish_ci, false",
        "utf8mb4_de_pb_0900_ai_ci, false",
        "utf8mb4_uca1400_swedish_ai_ci, false",
        "binary, false",
        "_bin, false",
    })
    void collationsOfALanguageHaveNoPositions(String collation, boolean known) {
        assertThat(TextPositions.of(collation).isPresent()).isEqualTo(known);
    }

    @Test
    void positionsOfTextsHaveTheirOrder() {
        TextPositions texts = TextPositions.of("ascii_bin").orElseThrow();
        List<String> sorted = List.of("", "-", "0", "00", "0a", "9", "A", "Z", "Z-", "a", "aa", "zz");
        assertThat(sorted.stream().map(texts::position)).isSorted().doesNotHaveDuplicates();
        assertThat(texts.literal(BigInteger.TEN.pow(90))).as("beyond all").startsWith("'zzz");
        assertThat(texts.literal(BigInteger.ONE.negate())).isEqualTo("''");
    }

    @Test
    void bytesHavePositionsByTheirHexadecimalDigits() {
        KeyType bytes = KeyType.of("binary(16) NOT NULL", "").orElseThrow();
        BigInteger position = bytes.position("00FF10").orElseThrow();
        assertThat(bytes.literal(position)).isEqualTo("x'00ff10'");
        assertThat(bytes.literal(position.subtract(BigInteger.ONE))).startsWith("x'00ff0fffff");
        assertThat(bytes.literal(BigInteger.ONE.shiftLeft(300))).startsWith("x'ffff");
    }

    @Test
    void textsThatAreNoValuesHaveNoPosition() {
        assertThat(new KeyType(Kind.INTEGER, 0).position("x")).isEmpty();
        assertThat(KeyType.of("varchar(10)", "")).isEmpty();
        assertThat(KeyType.of("double", "")).isEmpty();
        assertThat(KeyType.of("year(4)", "")).isEqualTo(Optional.empty());
    }

    /** A day that stands for the days before or after it is not exact, so nothing may be said about its rows. */
    @Test
    void onlySomePositionsAreExact() {
        KeyType day = new KeyType(Kind.DATE, 0);
        for (String date : List.of("0000-00-00", "1000-01-01", "9999-12-31")) {
            assertThat(day.exact(day.position(date).orElseThrow())).as(date).isFalse();
        }
        for (String date : List.of("1000-01-02", "2026-11-27", "9999-12-30")) {
            assertThat(day.exact(day.position(date).orElseThrow())).as(date).isTrue();
        }
        assertThat(new KeyType(Kind.INTEGER, 0).exact(BigInteger.ONE)).isTrue();
        assertThat(new KeyType(Kind.DECIMAL, 2).exact(BigInteger.ONE)).isTrue();
        assertThat(new KeyType(Kind.DATETIME, 0).exact(BigInteger.ONE)).isFalse();
        assertThat(new KeyType(Kind.BINARY, 0).exact(BigInteger.ONE)).isFalse();
    }
}
