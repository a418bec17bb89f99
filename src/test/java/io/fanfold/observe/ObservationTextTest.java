package io.fanfold.observe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ObservationTextTest {
    @Test
    void saysSharesReasonsAndAdvice() {
        assertThat(new ObservationText(Observations.sample(), 20, 0).render()).isEqualTo("""
                slow log slow.log
                MySQL 9.7.4 at db:3306
                1,000 statements, 100.00 s; of these 40 SELECTs, 83.00 s, in 4 groups
                would be split: 60.0 % of the time (60.00 s, 30 of the SELECTs)
                expected: 40.00 s less, 40.0 % of the time (a model, no measurement)

                 share     time  executions    mean  expected  decision              schema  statement
                ------  -------  ----------  ------  --------  --------------------  ------  ---------------------------------------------------
                60.0 %  60.00 s          30  2.00 s  666.7 ms  split, 4 workers      shop    SELECT status, COUNT(*) FROM orders GROUP BY status
                10.0 %  10.00 s           3  3.33 s            no_partitioned_table  shop    SELECT a FROM plain
                 5.0 %   5.00 s           1  5.00 s            no_partitioned_table  shop    SELECT b FROM plain
                 5.0 %   5.00 s           2  2.50 s            error 1146            shop    SELECT x FROM gone

                 share     time  statements  passed through        because
                ------  -------  ----------  --------------------  ----------------------------------------------------------------------------------
                17.0 %  17.00 s         960  not_a_select          the statement is not a SELECT
                15.0 %  15.00 s           4  no_partitioned_table  it names none
                 5.0 %   5.00 s           2  error 1146            the server refuses it: Table 'shop.gone' doesn't exist
                 3.0 %   3.00 s           4  not_explained         SELECTs with less time than the groups above; --groups sets how many are explained

                15.0 % no_partitioned_table: shop.plain is not partitioned
                        to change that: ALTER
                """);
    }

    @Test
    void showsTheTopGroupsInTheWidthOfTheTerminal() {
        String text = new ObservationText(Observations.sample(), 1, 110).render();
        assertThat(text)
                .contains("SELECT status, COUNT(*) FROM ...\n", "and 3 more (--top)\n")
                .doesNotContain("FROM plain");
        assertThat(text.lines().filter(line -> line.contains("split, 4 workers")))
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(110));
    }
}
