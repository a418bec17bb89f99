package io.fanfold.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SplitStateTest {
    private static final Finding SERVER = Finding.info("server: MySQL 9.7.4");
    private static final Finding AWAY = Finding.blocks("the server is away", List.of("start it"));
    private static final Finding NO_PROOF = Finding.blocks("no proof", List.of("SET a;", "set b"));

    private final List<String> lines = new ArrayList<>();
    private long time = 77;
    private final SplitState state = new SplitState(() -> time, new SplitState.Voice() {
        @Override
        public void info(String line) {
            lines.add("INFO " + line);
        }

        @Override
        public void warn(String line) {
            lines.add("WARN " + line);
        }
    });

    private List<String> look(Finding... findings) {
        lines.clear();
        state.look(Inspection.of(List.of(findings)));
        return List.copyOf(lines);
    }

    private void pass(Duration pause) {
        time += pause.toNanos();
    }

    @Test
    void reportsEveryFindingOnceAndDetailsNever() {
        Finding advice = Finding.advice("degree 64 is more than 32", "set degree: 32");
        assertThat(look(SERVER, advice, Finding.detail("memory: 1 GiB")))
                .containsExactly(
                        "INFO server: MySQL 9.7.4", "WARN degree 64 is more than 32. To change that: set degree: 32");
        pass(Duration.ofDays(1));
        assertThat(look(SERVER, advice)).isEmpty();
    }

    @Test
    void reportsChangedFindings() {
        look(SERVER);
        Finding other = Finding.info("server: MySQL 9.7.5");
        assertThat(look(other)).containsExactly("INFO server: MySQL 9.7.5");
        assertThat(look(SERVER)).containsExactly("INFO server: MySQL 9.7.4");
    }

    @Test
    void repeatsAnObstacleWithGrowingPausesAndReportsOnceThatItIsGone() {
        assertThat(look(AWAY))
                .containsExactly("WARN no statement is split: the server is away. To change that: start it");
        List<Long> minutes = new ArrayList<>();
        for (long minute = 1; minute <= 400; minute++) {
            pass(Duration.ofMinutes(1));
            if (!look(AWAY).isEmpty()) {
                minutes.add(minute);
            }
        }
        // 1, 2, 4 ... minutes, at most an hour
        assertThat(minutes).containsExactly(1L, 3L, 7L, 15L, 31L, 63L, 123L, 183L, 243L, 303L, 363L);
        assertThat(look(SERVER)).containsExactly("INFO statements are split again", "INFO server: MySQL 9.7.4");
        assertThat(look(SERVER)).isEmpty();
    }

    @Test
    void namesEachRemedy() {
        assertThat(look(NO_PROOF))
                .containsExactly("WARN no statement is split: no proof. To change that: SET a; -- or: set b");
    }

    @Test
    void anotherObstacleIsReportedAtOnce() {
        look(AWAY);
        assertThat(look(NO_PROOF)).hasSize(1).first().asString().contains("no proof");
        assertThat(look(AWAY, NO_PROOF)).isEmpty();
    }

    @Test
    void anIntermittentObstacleDoesNotFillTheLog() {
        List<String> told = Stream.iterate(0, i -> i < 600, i -> i + 1)
                .flatMap(i -> {
                    pass(Duration.ofSeconds(1));
                    return (i % 2 == 0 ? look(AWAY) : look(SERVER)).stream();
                })
                .toList();
        // ten minutes: reported at 0, 1, 3 and 7
        assertThat(told.stream().filter(line -> line.contains("away"))).hasSize(4);
        assertThat(told.stream().filter(line -> line.contains("again"))).hasSize(4);
        assertThat(told.stream().filter(line -> line.contains("MySQL"))).hasSize(1);
    }

    @Test
    void anObstacleThatReturnsMuchLaterIsReportedAtOnce() {
        look(AWAY);
        look(SERVER);
        pass(Duration.ofMinutes(2));
        look(SERVER);
        assertThat(look(AWAY)).hasSize(1);
        pass(Duration.ofMinutes(1));
        assertThat(look(AWAY)).hasSize(1);
    }
}
