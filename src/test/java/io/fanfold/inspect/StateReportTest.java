package io.fanfold.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.CatalogTable;
import io.fanfold.client.ConnectFailure;
import io.fanfold.reason.Reason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StateReportTest {
    private static final Inspection FINE = Inspection.of(List.of(Finding.info("server: fine")));
    private static final Inspection NO_PROOF =
            Inspection.of(List.of(Finding.blocks("no proof", List.of("SET GLOBAL gtid_mode = ON;"))));
    private static final CatalogSnapshot CATALOG = new Nothing();

    private final List<String> lines = new ArrayList<>();
    private final FakeLook server = new FakeLook();
    private final StateReport report = new StateReport(server, new SplitState(() -> 0, new SplitState.Voice() {
        @Override
        public void info(String line) {
            lines.add("INFO " + line);
        }

        @Override
        public void warn(String line) {
            lines.add("WARN " + line);
        }
    }));

    /** Returns the findings that the test sets. */
    private static final class FakeLook implements StateReport.ServerLook {
        private @Nullable Inspection found = FINE;
        private boolean fails;
        private int looks;

        @Override
        public Optional<Inspection> at(CatalogSnapshot catalog) throws IOException {
            looks++;
            if (fails) {
                throw new IOException("cut");
            }
            return Optional.ofNullable(found);
        }

        @Override
        public Inspection unreachable(ConnectFailure failure) {
            return Inspection.of(List.of(Finding.blocks("away: " + failure.text(), List.of())));
        }
    }

    private void read(int times) {
        IntStream.range(0, times).forEach(i -> report.catalogRead(CATALOG, false));
    }

    private void fail(int times, Reason reason, String detail) {
        IntStream.range(0, times).forEach(i -> report.passedThrough(reason, detail + i));
    }

    @Test
    void looksOnceIfNothingHappens() {
        read(3);
        assertThat(server.looks).isEqualTo(1);
        report.catalogRead(CATALOG, true);
        assertThat(server.looks).isEqualTo(2);
        assertThat(lines).containsExactly("INFO server: fine");
    }

    @Test
    void looksAgainAfterTheSettingsHaveChanged() {
        read(2);
        report.settingsChanged();
        server.found = NO_PROOF;
        read(1);
        assertThat(server.looks).isEqualTo(2);
        assertThat(lines).hasSize(2).last().asString().startsWith("WARN no statement is split: no proof");
    }

    @Test
    void looksAtEachReadingWhileThereIsAnObstacle() {
        server.found = NO_PROOF;
        read(3);
        assertThat(server.looks).isEqualTo(3);
        server.found = FINE;
        read(3);
        assertThat(server.looks).isEqualTo(4);
        assertThat(lines)
                .containsExactly(
                        "WARN no statement is split: no proof. To change that: SET GLOBAL gtid_mode = ON;",
                        "INFO statements are split again",
                        "INFO server: fine");
    }

    @Test
    void looksAgainAfterABusyOrFailedLook() {
        server.found = null;
        read(1);
        server.found = FINE;
        server.fails = true;
        read(1);
        server.fails = false;
        read(2);
        assertThat(server.looks).isEqualTo(3);
        assertThat(lines).containsExactly("INFO server: fine");
    }

    @Test
    void aLostServerIsReportedAndItsReturn() {
        read(1);
        report.unreachable(new ConnectFailure(0, "connection refused"));
        report.unreachable(new ConnectFailure(0, "connection refused"));
        read(1);
        assertThat(lines)
                .containsExactly(
                        "INFO server: fine",
                        "WARN no statement is split: away: connection refused",
                        "INFO statements are split again");
    }

    @Test
    void looksAgainWhenStatementsKeepFailing() {
        read(1);
        server.found = NO_PROOF;
        fail(StateReport.LOOK_AGAIN - 1, Reason.SNAPSHOT, "NOT_PROVABLE");
        fail(StateReport.TELL, Reason.FEW_ROWS, "");
        read(1);
        assertThat(server.looks).isEqualTo(1);
        fail(1, Reason.SNAPSHOT, "NOT_PROVABLE");
        read(1);
        assertThat(server.looks).isEqualTo(2);
        assertThat(lines).last().asString().startsWith("WARN no statement is split: no proof");
    }

    @Test
    void reportsFailingStatementsThoughTheServerLooksFine() {
        read(1);
        fail(StateReport.TELL, Reason.OTHER_SERVER, "");
        read(2);
        fail(7, Reason.OTHER_SERVER, "");
        read(1);
        assertThat(lines)
                .hasSize(2)
                .last()
                .asString()
                .contains("different servers", "set backend.host to the name of one server");
        report.fannedOut();
        read(2);
        assertThat(lines).hasSize(3).last().isEqualTo("INFO statements are split again");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    OTHER_SERVER     | set backend.host to the name of one server
                    SNAPSHOT         | GRANT LOCK TABLES ON ... TO ...; for the worker account, and set fan-out.table-locks: allow
                    WORKER_ERROR     | GRANT SELECT ON ... TO ...; for the worker account, on all that clients read
                    TABLE_UNREADABLE | GRANT SELECT ON ... TO ...; for the worker account, on all that clients read
                    """)
    void eachRepeatedReasonHasARemedy(Reason reason, String remedy) {
        read(1);
        fail(StateReport.TELL, reason, "some ");
        read(1);
        assertThat(lines)
                .last()
                .asString()
                .startsWith("WARN no statement is split: ")
                .contains(reason.sentence() + " (some 0). To change that: ")
                .endsWith(remedy);
    }

    @Test
    void fanOutsInBetweenAreAGoodSign() {
        read(1);
        for (int i = 0; i < 10; i++) {
            fail(StateReport.LOOK_AGAIN - 1, Reason.SNAPSHOT, "NOT_EQUAL");
            report.fannedOut();
            read(1);
        }
        assertThat(server.looks).isEqualTo(1);
        assertThat(lines).hasSize(1);
    }

    /** A catalog without tables. */
    private static final class Nothing implements CatalogSnapshot {
        @Override
        public Optional<CatalogTable> table(String schema, String table) {
            return Optional.empty();
        }

        @Override
        public Collection<CatalogTable> tables() {
            return List.of();
        }

        @Override
        public boolean caseSensitive() {
            return true;
        }

        @Override
        public Optional<CollationInfo> collation(int id) {
            return Optional.empty();
        }

        @Override
        public Optional<CollationInfo> collation(String name) {
            return Optional.empty();
        }
    }
}
