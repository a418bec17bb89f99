package io.fanfold.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.CatalogSnapshot.CollationInfo;
import io.fanfold.catalog.CatalogTable;
import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.catalog.TableName;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CatalogServiceTest {
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
