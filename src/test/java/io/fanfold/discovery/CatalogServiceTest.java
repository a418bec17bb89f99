package io.fanfold.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.CatalogSnapshot.CollationInfo;
import io.fanfold.catalog.CatalogTable;
import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.catalog.TableName;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CatalogServiceTest {
    @Test
    void aSlowReadingIsRareHoweverOftenItIsRequested() {
        Duration wished = Duration.ofSeconds(5);
        assertThat(CatalogService.pause(wished, 3_000_000)).isEqualTo(wished);
        assertThat(CatalogService.pause(wished, 250_000_000)).isEqualTo(wished);
        assertThat(CatalogService.pause(wished, 2_600_000_000L)).isEqualTo(Duration.ofSeconds(52));
        assertThat(CatalogService.pause(Duration.ZERO, 3_000_000)).isEqualTo(Duration.ofMillis(60));
    }

    @Test
    void oneReadingThatWaitedDelaysNoOther() {
        assertThat(CatalogService.typical(0, 7)).isEqualTo(7);
        assertThat(CatalogService.typical(7, 1000)).isEqualTo(7);
        assertThat(CatalogService.typical(1000, 9)).isEqualTo(9);
        assertThat(CatalogService.typical(1000, 1200)).isEqualTo(1000);
    }

    @Test
    void aTableThatIsMissingIsNoticedAndANewOneIsNot() {
        CatalogSnapshot both = new Known("t", "u");
        assertThat(CatalogService.lost(both, new Known("u"))).isTrue();
        assertThat(CatalogService.lost(both, new Known("v", "u"))).isTrue();
        assertThat(CatalogService.lost(both, new Known("u", "t", "v"))).isFalse();
        assertThat(CatalogService.lost(new Known(), both)).isFalse();
    }

    /** Tables by name. */
    private record Known(String... names) implements CatalogSnapshot {
        private static final List<Partition> ONE = List.of(new Partition("p0", "p0", 1));

        @Override
        public boolean caseSensitive() {
            return true;
        }

        @Override
        public Optional<CatalogTable> table(String schema, String table) {
            return Optional.empty();
        }

        @Override
        public Collection<CatalogTable> tables() {
            return Stream.of(names)
                    .map(name -> new CatalogTable(new TableName("db", name), "HASH", "id", ONE))
                    .toList();
        }

        @Override
        public Optional<CollationInfo> collation(String name) {
            return Optional.empty();
        }

        @Override
        public Optional<CollationInfo> collation(int id) {
            return Optional.empty();
        }
    }
}
