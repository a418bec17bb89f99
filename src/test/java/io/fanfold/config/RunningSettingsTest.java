package io.fanfold.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fanfold.config.FanOutConfig.Mode;
import io.fanfold.config.SetException.Problem;
import io.fanfold.config.SettingsChange.ChangedSetting;
import io.fanfold.config.SettingsSource.SettingOrigin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunningSettingsTest {
    private final Map<String, String> environment = new HashMap<>();
    private final List<FanfoldConfig> told = new ArrayList<>();

    /** The text of the file. */
    private String text = "";

    @TempDir
    Path directory;

    private FanfoldConfig read() {
        return new ConfigLoader(environment::get).parse("f.yaml", text, null);
    }

    /** Reads the text as a file. */
    private final class Text implements SettingsSource {
        private final SettingsFile file = new SettingsFile(
                new ConfigLoader(environment::get), directory.resolve("f.yaml"), UnaryOperator.identity());

        @Override
        public ReadSettings readAnew() {
            try {
                Files.writeString(directory.resolve("f.yaml"), text);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return file.readAnew();
        }

        @Override
        public ReadSettings read(Map<String, Optional<String>> values) {
            return file.read(values);
        }
    }

    private RunningSettings running(String first) {
        text = first;
        RunningSettings settings = new RunningSettings(new Text());
        settings.onChange((before, now) -> {
            assertThat(settings.get()).isSameAs(now);
            told.add(before);
        });
        return settings;
    }

    private static List<String> names(List<ChangedSetting> changes) {
        return changes.stream().map(ChangedSetting::name).toList();
    }

    @Test
    void aChangeHoldsAtOnceAndPartsAreTold() {
        RunningSettings settings = running("fan-out: {degree: 3}");
        FanfoldConfig first = settings.get();
        text = "fan-out: {mode: off, lock-wait: 9ms}\nworkers: {connections: 7, queue-wait: 1s}\nlog: {slow: 2s}";
        SettingsChange change = settings.reload();
        assertThat(change)
                .hasToString("changed workers.connections: 32 -> 7, workers.queue-wait: 200ms -> 1s,"
                        + " fan-out.mode: on -> off, fan-out.degree: 3 -> auto, fan-out.lock-wait: 5ms -> 9ms,"
                        + " log.slow: 0ms -> 2s");
        assertThat(settings.get()).isEqualTo(read());
        assertThat(first.fanOut().mode())
                .as("who has read the settings keeps them")
                .isEqualTo(Mode.ON);
        assertThat(told).containsExactly(first);
        assertThat(settings.reload()).hasToString("no setting has changed");
    }

    @Test
    void aPartThatFailsKeepsNoOtherFromTheChange() {
        RunningSettings settings = RunningSettings.of(FanfoldConfig.defaults());
        settings.onChange((before, now) -> {
            throw new NoClassDefFoundError("for this test");
        });
        settings.onChange((before, now) -> told.add(now));
        settings.moveTo(new HostPort("b", 3307));
        assertThat(told).containsExactly(settings.get());
    }

    @Test
    void whatNeedsARestartStaysAsItIsAndIsNamed() {
        environment.put("PW", "first");
        RunningSettings settings = running("workers: {user: w, password-env: PW}");
        FanfoldConfig first = settings.get();
        environment.put("PW", "second");
        text = """
                listener: {host: 0.0.0.0, port: 1, tls: {mode: required}}
                backend: {host: db, tls: {mode: required}}
                workers: {user: x, password-env: PW, connections: 9}
                limits: {statement-size: 1KiB, final-query-rows: 7}
                http: {enabled: true}
                """;
        SettingsChange change = settings.reload();
        assertThat(names(change.applied())).containsExactly("workers.connections", "limits.final-query-rows");
        assertThat(names(change.kept()))
                .containsExactly(
                        "listener.host",
                        "listener.port",
                        "listener.tls.mode",
                        "backend.host",
                        "backend.tls.mode",
                        "workers.user",
                        "limits.statement-size",
                        "http.enabled",
                        "workers.password");
        assertThat(change.toString()).contains("workers.password: *** -> ***").doesNotContain("second");
        FanfoldConfig now = settings.get();
        assertThat(now.listener()).isEqualTo(first.listener());
        assertThat(now.backend()).isEqualTo(first.backend());
        assertThat(now.http()).isEqualTo(first.http());
        assertThat(now.workers().user()).isEqualTo("w");
        assertThat(now.workers().password().reveal()).isEqualTo("first");
        assertThat(now.workers().connections()).isEqualTo(9);
        assertThat(names(settings.reload().kept())).as("it is named each time").contains("listener.port");
    }

    @Test
    void thePasswordOfTheSameAccountChanges() {
        environment.put("PW", "first");
        RunningSettings settings = running("workers: {user: w, password-env: PW}");
        environment.put("PW", "second");
        assertThat(settings.reload()).hasToString("changed workers.password: *** -> ***");
        assertThat(settings.get().workers().password().reveal()).isEqualTo("second");
    }

    @Test
    void entriesOfTablesAndAccountsAreNamed() {
        RunningSettings settings = running("tables: {a.b: {degree: 2}, c.d: {mode: off}}\naccounts: {x: {mode: off}}");
        text = "tables: {a.b: {degree: 3, min-rows: 5}, e.f: {}}\naccounts: {y: {mode: observe, reuse: on}}";
        assertThat(settings.reload())
                .hasToString("changed tables.a.b: {degree: 2} -> {degree: 3, min-rows: 5},"
                        + " tables.c.d: {mode: off} -> (none), accounts.x: {mode: off} -> (none),"
                        + " tables.e.f: (none) -> {}, accounts.y: (none) -> {mode: observe, reuse: on}");
        assertThat(settings.get().tables()).isEqualTo(read().tables());
    }

    @Test
    void theOrderOfEntriesIsASettingToo() {
        RunningSettings settings = running("tables: {'a.*b': {degree: 2}, 'a.b*': {degree: 3}}");
        text = "tables: {'a.b*': {degree: 3}, 'a.*b': {degree: 2}}";
        assertThat(settings.reload()).hasToString("changed tables: [a.*b, a.b*] -> [a.b*, a.*b]");
    }

    /** A setting that the list of settings lacks would change without a line in the log. */
    @Test
    void everySettingOfATableHasAName() {
        String every = "mode: off, degree: 2, min-rows: 3, consistency: relaxed, table-locks: allow, key-ranges: off,"
                + " approximate: allow, dynamic-filters: off, reuse: on, read-from: any, verify-share: 5%";
        assertThat(every.split(", ")).hasSize(TableEntry.class.getRecordComponents().length - 1);
        RunningSettings settings = running("tables: {a.b: {}}");
        text = "tables: {a.b: {" + every + "}}";
        assertThat(settings.reload()).hasToString("changed tables.a.b: {} -> {" + every + "}");
    }

    @Test
    void aMistakeChangesNothing() {
        RunningSettings settings = running("fan-out: {degree: 3}");
        FanfoldConfig first = settings.get();
        text = "fan-out: {degree: 4, moed: off}";
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(settings::reload)
                .withMessageContaining("fan-out.moed: unknown key, did you mean mode?");
        assertThat(settings.get()).isSameAs(first);
        assertThat(told).isEmpty();
    }

    @Test
    void everyDifferenceHasAName() {
        RunningSettings settings = running("workers: {servers: [{host: a}]}");
        text = """
                workers: {servers: [{host: a}], read-from: any, replica-wait: 9ms, staleness: 3s, servers-per-fan-out: 2,
                  connections: 3, connections-per-user: 4, queue-length: 5, queue-wait: 6s, idle-timeout: 11s, max-lifetime: 31s}
                fan-out: {mode: observe, degree: 2, min-rows: 3, consistency: relaxed, snapshot-rounds: 4, snapshot-time: 5ms,
                  table-locks: allow, lock-wait: 6ms, split-plain-count: true, key-ranges: off, approximate: allow,
                  dynamic-filters: off,
                  filter-keys: 7, reuse: on, reuse-wait: 10ms, transactions: off, transaction-idle: 8s, catalog-refresh: 9s}
                limits: {query-memory: 2MiB, total-memory: 3MiB, reuse-memory: 1MiB, held-answer: 1MiB, final-query-rows: 4, connections: 5,
                  slow-client: 6s, handshake-timeout: 7s, drain-time: 8s}
                verify: {share: 10%}
                log: {level: debug, format: json, slow: 9s}
                """;
        SettingsChange change = settings.reload();
        assertThat(change.kept()).isEmpty();
        assertThat(names(change.applied()))
                .containsExactlyElementsOf(SettingsList.of(read()).keySet().stream()
                        .filter(name -> !name.matches(
                                "(listener|backend|http)\\..*|workers.(user|servers)|limits.statement-size"
                                        + "|verify\\.(connections|time|directory|literals)"))
                        .toList());
        assertThat(settings.get()).isEqualTo(read());
    }

    private static SetException refused(RunningSettings settings, String name, String value) {
        FanfoldConfig before = settings.get();
        SetException refused =
                catchThrowableOfType(SetException.class, () -> settings.set(name, Optional.of(value), "a test"));
        assertThat(settings.get()).isSameAs(before);
        return refused;
    }

    @Test
    void aSetValueHoldsUntilTheNextReload() throws Exception {
        RunningSettings settings = running("fan-out: {degree: 3, mode: observe}");
        assertThat(settings.set("fan-out.degree", Optional.of("5"), "a test"))
                .hasToString("changed fan-out.degree: 3 -> 5");
        assertThat(settings.set("fan-out.mode", Optional.empty(), "a test"))
                .hasToString("changed fan-out.mode: observe -> on");
        assertThat(settings.set("fan-out.lock-wait", Optional.of("7ms"), "a test"))
                .hasToString("changed fan-out.lock-wait: 5ms -> 7ms");
        assertThat(settings.get().fanOut().degree()).as("it stays").isEqualTo(5);
        assertThat(told).hasSize(3);
        assertThat(settings.origins())
                .containsEntry("fan-out.degree", SettingOrigin.SET)
                .containsEntry("fan-out.mode", SettingOrigin.DEFAULT)
                .containsEntry("fan-out.lock-wait", SettingOrigin.SET)
                .containsEntry("fan-out.min-rows", SettingOrigin.DEFAULT);
        assertThat(settings.reload())
                .hasToString("changed fan-out.mode: on -> observe, fan-out.degree: 5 -> 3,"
                        + " fan-out.lock-wait: 7ms -> 5ms");
        assertThat(settings.origins())
                .containsEntry("fan-out.degree", SettingOrigin.FILE)
                .containsEntry("fan-out.lock-wait", SettingOrigin.DEFAULT);
        text = "fan-out: {degree: x}";
        settings.set("fan-out.degree", Optional.of("6"), "a test");
        assertThatExceptionOfType(ConfigException.class).isThrownBy(settings::reload);
        assertThat(settings.get().fanOut().degree())
                .as("a reload that fails changes nothing")
                .isEqualTo(6);
    }

    @Test
    void whatCannotBeSetIsRefusedWithTheTextOfTheLoader() {
        RunningSettings settings = running("listener: {port: 7}\nlimits: {total-memory: 8MiB, query-memory: 4MiB}");
        SetException unknown = refused(settings, "fan-out.moed", "off");
        assertThat(unknown.problem()).isEqualTo(Problem.UNKNOWN);
        assertThat(unknown).hasMessageStartingWith("SET FANFOLD: fan-out.moed: unknown key, did you mean mode?");
        assertThat(refused(settings, "workers.password-file", "x").problem()).isEqualTo(Problem.UNKNOWN);
        assertThat(refused(settings, "tables", "x").problem()).isEqualTo(Problem.UNKNOWN);
        assertThat(refused(settings, "", "x").problem()).isEqualTo(Problem.UNKNOWN);
        SetException wrong = refused(settings, "fan-out.degree", "many");
        assertThat(wrong.problem()).isEqualTo(Problem.WRONG_VALUE);
        assertThat(wrong).hasMessage("SET FANFOLD: fan-out.degree: 'many' (expected: auto or a whole number 1..1000)");
        SetException together = refused(settings, "limits.total-memory", "2MiB");
        assertThat(together.problem()).isEqualTo(Problem.WRONG_VALUE);
        assertThat(together).hasMessageContaining("limits.query-memory: '4MiB'");
        SetException kept = refused(settings, "listener.port", "8");
        assertThat(kept.problem()).isEqualTo(Problem.READ_ONLY);
        assertThat(kept).hasMessageStartingWith("Variable 'listener.port' is a read only variable");
        assertThat(told).isEmpty();
    }

    @Test
    void whatNeedsARestartInTheFileDoesNotStandInTheWay() throws Exception {
        RunningSettings settings = running("listener: {port: 7}");
        text = "listener: {port: 8}";
        settings.reload();
        assertThat(settings.set("fan-out.degree", Optional.of("5"), "a test").applied())
                .hasSize(1);
        assertThat(settings.get().listener().port()).isEqualTo(7);
    }

    @Test
    void fixedSettingsCannotBeSet() {
        RunningSettings settings = RunningSettings.of(FanfoldConfig.defaults());
        assertThat(refused(settings, "fan-out.degree", "5"))
                .hasMessageContaining("the settings of this proxy are fixed");
        assertThat(settings.reload().isEmpty()).isTrue();
    }

    @Test
    void otherFilesAreReadBeforeTheSettings() {
        RunningSettings settings = running("");
        settings.onReload(() -> text = "fan-out: {degree: 9}");
        assertThat(settings.reload()).hasToString("changed fan-out.degree: auto -> 9");
    }

    @Test
    void theFoundDegreeOutlastsAReload() {
        RunningSettings settings = running("");
        settings.foundDegree(5, 2);
        assertThat(settings.get().fanOut().degree()).isEqualTo(5);
        assertThat(settings.reload().isEmpty()).isTrue();
        assertThat(settings.get().fanOut().degree()).isEqualTo(5);
        assertThat(settings.get().fanOut().cores()).isEqualTo(2);
        assertThat(SettingsList.of(settings.get())).containsEntry("fan-out.degree", "auto");
        text = "fan-out: {degree: 3}";
        settings.reload();
        settings.foundDegree(6, 6);
        assertThat(settings.get().fanOut().degree()).isEqualTo(3);
        assertThat(settings.get().fanOut().cores()).isEqualTo(3);
    }
}
