package io.fanfold.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.AccountName;
import io.fanfold.catalog.TableName;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GrantsTest {
    private static final TableName ORDERS = new TableName("shop", "orders");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    GRANT SELECT ON *.* TO `w`@`%`                                        | true  | true
                    GRANT SELECT, LOCK TABLES ON `shop`.* TO `w`@`%`                      | true  | true
                    GRANT LOCK TABLES, SELECT ON `shop`.* TO `w`@`%` WITH GRANT OPTION    | true  | true
                    GRANT ALL PRIVILEGES ON `shop`.* TO `w`@`%`                           | true  | true
                    GRANT SELECT ON "shop".* TO "w"@"%"                                   | true  | true
                    GRANT SELECT ON `sh%`.* TO `w`@`%`                                    | true  | true
                    GRANT SELECT ON `sho_`.* TO `w`@`%`                                   | true  | true
                    GRANT SELECT ON `shop\\_`.* TO `w`@`%`                                | false | false
                    GRANT SELECT ON `shop`.`orders` TO `w`@`%`                            | true  | false
                    GRANT SELECT ON `shop`.`other` TO `w`@`%`                             | false | false
                    GRANT SELECT (`a`, `b`), INSERT ON `shop`.`orders` TO `w`@`%`         | false | false
                    GRANT INSERT (`a`), SELECT ON `shop`.`orders` TO `w`@`%`              | true  | false
                    GRANT LOCK TABLES ON `shop`.* TO `w`@`%`                              | false | false
                    GRANT SELECT ON `crm`.* TO `w`@`%`                                    | false | false
                    GRANT `reader`@`%` TO `w`@`%`                                         | false | false
                    GRANT USAGE ON *.* TO `w`@`%` IDENTIFIED BY PASSWORD '*AB'            | false | false
                    """)
    void readsALine(String line, boolean onTable, boolean onSchema) {
        Grants grants = Grants.read(List.of(line));
        assertThat(grants.allows("SELECT", ORDERS)).isEqualTo(onTable);
        assertThat(grants.allows("SELECT", "shop")).isEqualTo(onSchema);
    }

    @Test
    void partialRevokesTakeAGlobalRightAway() {
        Grants grants =
                Grants.read(List.of("GRANT SELECT ON *.* TO `w`@`%`", "REVOKE SELECT ON `shop`.* FROM `w`@`%`"));
        assertThat(grants.allows("SELECT", ORDERS)).isFalse();
        assertThat(grants.allows("SELECT", "crm")).isTrue();
    }

    @Test
    void aRightOnAnythingIsOne() {
        Grants grants = Grants.read(List.of("GRANT SELECT ON `crm`.`x` TO `w`@`%`"));
        assertThat(grants.allowsAnywhere("SELECT")).isTrue();
        assertThat(grants.allowsAnywhere("LOCK TABLES")).isFalse();
    }

    @Test
    void anAccountIsNamedAsStatementsNameIt() {
        AccountName account = AccountName.of("o'fan@fold@10.1.%");
        assertThat(account.grant("SELECT", "shop")).isEqualTo("GRANT SELECT ON shop.* TO 'o''fan@fold'@'10.1.%';");
        assertThat(account.grant("SELECT", new TableName("my-shop", "a`b")))
                .isEqualTo("GRANT SELECT ON `my-shop`.`a``b` TO 'o''fan@fold'@'10.1.%';");
    }
}
