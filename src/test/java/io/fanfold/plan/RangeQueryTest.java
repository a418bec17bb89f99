package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.catalog.KeyColumn;
import io.fanfold.catalog.KeyType;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The condition for a range of a key in the partition query. */
class RangeQueryTest {
    private static final KeyColumn KEY =
            new KeyColumn("PRIMARY", "id", new KeyType(KeyType.Kind.INTEGER, 0), Optional.empty());
    private static final Optional<KeyRange> RANGE = Optional.of(new KeyRange(
            KEY, Optional.of(KeyBound.before(BigInteger.ONE)), Optional.of(KeyBound.before(BigInteger.TEN)), 0));
    private static final Part OF_TABLE = new Part(0, List.of(new Partition("", "", 0)), RANGE);
    private static final Part OF_PARTITION = new Part(0, List.of(new Partition("p", "p", 0)), RANGE);

    private static FanOutPlan plan(String sql) {
        return GoldenPlanTest.splittable(sql, Map.of()).blocks().get(0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "SELECT COUNT(*) FROM t              | FROM t WHERE `t`.`id` >= 1 AND `t`.`id` < 10",
                "SELECT COUNT(*) FROM t x WHERE a = 1 OR b = 2"
                        + " | FROM t x WHERE `x`.`id` >= 1 AND `x`.`id` < 10 AND (a = 1 OR b = 2)",
                "SELECT SUM(y.a) FROM (SELECT a FROM t) y"
                        + " | FROM (SELECT a FROM t WHERE `t`.`id` >= 1 AND `t`.`id` < 10) y",
                "SELECT SUM(y.a) FROM (SELECT a FROM t z WHERE b = 1 OR a = 2) y WHERE y.a > 3"
                        + " | FROM (SELECT a FROM t z WHERE `z`.`id` >= 1 AND `z`.`id` < 10 AND (b = 1 OR a = 2)) y WHERE y.a > 3",
                "WITH y AS (SELECT a FROM t WHERE b = 1) SELECT SUM(a) FROM y"
                        + " | FROM t WHERE `t`.`id` >= 1 AND `t`.`id` < 10 AND (b = 1)) SELECT SUM(a) FROM y",
            })
    void theRangeIsACondition(String sql, String end) {
        String query = plan(sql).partitionQuery(OF_TABLE);
        assertThat(query).contains(end);
    }

    @Test
    void aRangeOfAPartitionHasBoth() {
        assertThat(plan("SELECT COUNT(*) FROM t").partitionQuery(OF_PARTITION))
                .endsWith(" FROM t PARTITION (`p`) WHERE `t`.`id` >= 1 AND `t`.`id` < 10");
    }

    @Test
    void theKeysOfDynamicFiltersComeFirst() {
        KeyList keys = new KeyList("a", "7,9".getBytes(StandardCharsets.US_ASCII), 2, true);
        byte[] query = plan("SELECT COUNT(*) FROM t WHERE b = 1 OR b = 2").partitionQuery("", OF_TABLE, List.of(keys));
        assertThat(new String(query, StandardCharsets.UTF_8))
                .endsWith(" WHERE a IN (7,9) AND (`t`.`id` >= 1 AND `t`.`id` < 10) AND (b = 1 OR b = 2)");
    }
}
