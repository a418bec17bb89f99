package io.fanfold.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fanfold.config.FanOutConfig.Mode;
import io.fanfold.config.SettingsSource.ReadSettings;
import io.fanfold.config.SettingsSource.SettingOrigin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsFileTest {
    private final ConfigLoader loader = new ConfigLoader(Map.<String, String>of()::get);

    @TempDir
    Path directory;

    private SettingsFile file(String text) throws IOException {
        return new SettingsFile(loader, write(text), UnaryOperator.identity());
    }

    private Path write(String text) throws IOException {
        return Files.writeString(directory.resolve("f.yaml"), text);
    }

    @Test
    void readsTheSameAsTheLoader() throws IOException {
        String text = "listener: {port: 7}\ntables: {a.b: {mode: off}}\nfan-out: {degree: 3}";
        assertThat(file(text).readAnew().config()).isEqualTo(loader.load(directory.resolve("f.yaml")));
        assertThat(new SettingsFile(loader, null, UnaryOperator.identity())
                        .readAnew()
                        .config())
                .isEqualTo(FanfoldConfig.defaults());
    }

    @Test
    void valuesTakeThePlaceOfTheFiles() throws IOException {
        SettingsFile file = file("fan-out: {degree: 3, mode: observe}\nlog: {level: warn}");
        file.readAnew();
        write("fan-out: {degree: 4}");
        FanfoldConfig config = file.read(Map.of(
                        "fan-out.degree", Optional.of("9"),
                        "fan-out.mode", Optional.empty(),
                        "workers.queue-wait", Optional.of("1s"),
                        "listener.tls.mode", Optional.of("required")))
                .config();
        assertThat(config.fanOut().degree()).isEqualTo(9);
        assertThat(config.fanOut().mode()).as("the default").isEqualTo(Mode.ON);
        assertThat(config.workers().queueWait()).hasSeconds(1);
        assertThat(config.listener().tls().mode()).isEqualTo(ListenerTlsConfig.ListenerTlsMode.REQUIRED);
        assertThat(config.log().level()).as("the file was not read again").isEqualTo(LogConfig.Level.WARN);
        assertThat(file.readAnew().config().fanOut().degree()).isEqualTo(4);
    }

    @Test
    void eachValueHasAnOrigin() throws IOException {
        SettingsFile file = new SettingsFile(
                loader,
                write("listener: {port: 7}\nfan-out: {degree: 8, filter-keys: 5, lock-wait: 7ms}\nlog:"),
                config -> config.withListener(config.listener().at("h", 7)));
        file.readAnew();
        ReadSettings read =
                file.read(Map.of("fan-out.filter-keys", Optional.of("5"), "fan-out.lock-wait", Optional.empty()));
        assertThat(read.origins())
                .containsEntry("listener.host", SettingOrigin.COMMAND_LINE)
                .containsEntry("listener.port", SettingOrigin.FILE)
                .containsEntry("fan-out.degree", SettingOrigin.FILE)
                .containsEntry("fan-out.filter-keys", SettingOrigin.SET)
                .containsEntry("fan-out.lock-wait", SettingOrigin.DEFAULT)
                .containsEntry("log.level", SettingOrigin.DEFAULT)
                .containsOnlyKeys(SettingsList.of(read.config()).keySet());
    }

    @Test
    void aWrongFileLeavesWhatWasRead() throws IOException {
        SettingsFile file = file("fan-out: {degree: 3}");
        file.readAnew();
        write("fan-out: {degree: x}");
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(file::readAnew)
                .withMessage("f.yaml:1:19: fan-out.degree: 'x' (expected: auto or a whole number 1..1000)");
        assertThat(file.read(Map.of()).config().fanOut().degree()).isEqualTo(3);
    }
}
