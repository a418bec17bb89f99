package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.PartitionedTable.Partition;
import io.fanfold.plan.Part;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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
    void noNameEndsTheComment() {
        assertThat(commented("a*/ DROP", "é`*/"))
                .isEqualTo("/* fanfold session=39 user=a???DROP partition=???? */ SELECT 'é'");
        assertThat(commented("u".repeat(100), "p"))
                .isEqualTo("/* fanfold session=39 user=" + "u".repeat(64) + " partition=p */ SELECT 'é'");
    }
}
