package io.fanfold.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fanfold.config.FanOutConfig.Mode;
import io.fanfold.config.SettingsChange.ChangedSetting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunningSettingsTest {
    private final Map<String, String> environment = new HashMap<>();
    private final List<FanfoldConfig> told = new ArrayList<>();
    private String text = "";

    private FanfoldConfig read() {
        return new ConfigLoader(environment::get).parse("f.yaml", text, null);
    }

    private RunningSettings running(String first) {
        text = first;
        RunningSettings settings = new RunningSettings(this::read);
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
                        + " fan-out.mode: on -> off, fan-out.degree: 3 -> 8, fan-out.lock-wait: 5ms -> 9ms,"
                        + " log.slow: 0s -> 2s");
        assertThat(settings.get()).isEqualTo(read());
        assertThat(first.fanOut().mode())
                .as("who has read the settings keeps them")
                .isEqualTo(Mode.ON);
        assertThat(told).containsExactly(first);
        assertThat(settings.reload()).hasToString("no setting has changed");
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
    void entriesOfTablesAndAccountsAreNamed() {
        RunningSettings settings = running("tables: {a.b: {degree: 2}, c.d: {mode: off}}\naccounts: {x: {mode: off}}");
        text = "tables: {a.b: {degree: 3, min-rows: 5}, e.f: {}}\naccounts: {y: {mode: observe}}";
        assertThat(settings.reload())
                .hasToString("changed tables.a.b: {degree: 2} -> {degree: 3, min-rows: 5},"
                        + " tables.c.d: {mode: off} -> (none), accounts.x: {mode: off} -> (none),"
                        + " tables.e.f: (none) -> {}, accounts.y: (none) -> {mode: observe}");
        assertThat(settings.get().tables()).isEqualTo(read().tables());
    }

    @Test
    void theOrderOfEntriesIsASettingToo() {
        RunningSettings settings = running("tables: {'a.*b': {degree: 2}, 'a.b*': {degree: 3}}");
        text = "tables: {'a.b*': {degree: 3}, 'a.*b': {degree: 2}}";
        assertThat(settings.reload()).hasToString("changed tables: [a.*b, a.b*] -> [a.b*, a.*b]");
    }

    @Test
    void aMistakeChangesNothing() {
        RunningSettings settings = running("fan-out: {degree: 3}");
        FanfoldConfig first = settings.get();
        text = "fan-out: {degree: 4, mood: off}";
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(settings::reload)
                .withMessageContaining("fan-out.mood: unknown key, did you mean mode?");
        assertThat(settings.get()).isSameAs(first);
        assertThat(told).isEmpty();
    }

    @Test
    void everyDifferenceHasAName() {
        RunningSettings settings = running("");
        text = """
                workers: {connections: 3, connections-per-user: 4, queue-length: 5, queue-wait: 6s, idle-timeout: 11s, max-lifetime: 31s}
                fan-out: {mode: observe, degree: 2, min-rows: 3, consistency: relaxed, snapshot-rounds: 4, snapshot-time: 5ms,
                  table-locks: allow, lock-wait: 6ms, split-plain-count: true, approximate: allow, dynamic-filters: off,
                  filter-keys: 7, transactions: off, transaction-idle: 8s, catalog-refresh: 9s}
                limits: {query-memory: 2MiB, total-memory: 3MiB, held-answer: 1MiB, final-query-rows: 4, connections: 5,
                  slow-client: 6s, handshake-timeout: 7s, drain-time: 8s}
                log: {level: debug, format: json, slow: 9s}
                """;
        SettingsChange change = settings.reload();
        assertThat(change.kept()).isEmpty();
        assertThat(names(change.applied()))
                .containsExactlyElementsOf(SettingsList.of(read()).keySet().stream()
                        .filter(name ->
                                !name.matches("(listener|backend|http)\\..*|workers.user|limits.statement-size"))
                        .toList());
        assertThat(settings.get()).isEqualTo(read());
    }
}
