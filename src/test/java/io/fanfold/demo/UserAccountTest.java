package io.fanfold.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class UserAccountTest {
    @Test
    void quotesNameAndPassword() {
        assertThat(UserAccount.administrator("o'neil", "a\\b'c").statements()).isEqualTo("""
                        CREATE OR REPLACE USER 'o''neil'@'%' IDENTIFIED BY 'a\\\\b''c';
                        GRANT ALL PRIVILEGES ON *.* TO 'o''neil'@'%' WITH GRANT OPTION;
                        """);
    }

    @Test
    void letsAReaderReadOneDatabaseOnly() {
        assertThat(UserAccount.reader("fanfold", "pw", "my_shop").statements())
                .endsWith("GRANT SELECT ON `my\\_shop`.* TO 'fanfold'@'%';\n");
    }

    @Test
    void refusesALineBreak() {
        assertThatThrownBy(() -> UserAccount.administrator("root", "a\nb"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("password")
                .hasMessageContaining("line break");
    }

    @Test
    void keepsThePasswordToItself() {
        assertThat(UserAccount.administrator("root", "hush").toString()).doesNotContain("hush");
    }
}
