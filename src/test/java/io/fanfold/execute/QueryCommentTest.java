package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.catalog.KeyColumn;
import io.fanfold.catalog.KeyType;
import io.fanfold.plan.KeyBound;
import io.fanfold.plan.KeyRange;
import io.fanfold.plan.Part;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class QueryCommentTest {
    private static String commented(String user, String... partitions) {
        Part part = new Part(
                0,
                Arrays.stream(partitions)
                        .map(name -> new Partition(name, name, 0))
                        .toList());
        return new String(
                QueryComment.before("SELECT 'é'".getBytes(StandardCharsets.UTF_8), 39, user, part),
                StandardCharsets.UTF_8);
    }

    @Test
    void namesTheClientAndThePartitions() {
        assertThat(commented("app", "p3")).isEqualTo("/* fanfold session=39 user=app partition=p3 */ SELECT 'é'");
        assertThat(commented("app", "p1", "p2", "p3", "p4", "p5"))
                .isEqualTo("/* fanfold session=39 user=app partition=p1,p2,p3,p4,... */ SELECT 'é'");
    }

    @Test
    void aRangeHasANumber() {
        KeyColumn key = new KeyColumn("PRIMARY", "id", new KeyType(KeyType.Kind.INTEGER, 0), Optional.empty());
        Optional<KeyRange> range =
                Optional.of(new KeyRange(key, Optional.of(KeyBound.before(BigInteger.ONE)), Optional.empty(), 0));
        Part ofTable = new Part(3, List.of(new Partition("", "", 0)), range);
        Part ofPartition = new Part(4, List.of(new Partition("p1", "p1", 0)), range);
        assertThat(new String(QueryComment.before(new byte[0], 39, "app", ofTable), StandardCharsets.UTF_8))
                .isEqualTo("/* fanfold session=39 user=app range=3 */ ");
        assertThat(new String(QueryComment.before(new byte[0], 39, "app", ofPartition), StandardCharsets.UTF_8))
                .isEqualTo("/* fanfold session=39 user=app partition=p1 range=4 */ ");
    }

    @Test
    void noNameEndsTheComment() {
        assertThat(commented("a*/ DROP", "é`*/"))
                .isEqualTo("/* fanfold session=39 user=a???DROP partition=???? */ SELECT 'é'");
        assertThat(commented("u".repeat(100), "p"))
                .isEqualTo("/* fanfold session=39 user=" + "u".repeat(64) + " partition=p */ SELECT 'é'");
    }
}
