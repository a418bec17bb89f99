package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartSourcesTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\u0001', textBlock = """
                      `tm` time DEFAULT NULL,              | SELECT MAX(tm) FROM t     | true
                      `tm` time(3) NOT NULL,               | SELECT MAX(`TM`) FROM t   | true
                      "tm" time,                           | SELECT MAX(tm) FROM t     | true
                      tm time DEFAULT NULL,                | SELECT MAX(tm) FROM t     | true
                      `a``b c` time,                       | SELECT MAX(`a``b c`)      | true
                      `tm` time DEFAULT NULL,              | SELECT MAX(a) FROM t      | false
                      `tm` timestamp NULL,                 | SELECT MAX(tm) FROM t     | false
                      `tm` datetime NULL,                  | SELECT MAX(tm) FROM t     | false
                      `a` int COMMENT 'the time of a',     | SELECT MAX(a) FROM t      | false
                    """)
    void findsNamesOfTimes(String column, String sql, boolean named) {
        String definition = "CREATE TABLE `t` (\n  " + column + "\n  PRIMARY KEY (`a`)\n) ENGINE=InnoDB";
        assertThat(PartSources.namesTime(sql, definition)).isEqualTo(named);
    }
}
