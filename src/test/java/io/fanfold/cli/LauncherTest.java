package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The launcher in a copy of the project's folder, with a Java and a Maven that only write down what they are asked. */
@DisabledOnOs(OS.WINDOWS)
class LauncherTest {
    private static final String FAKE_JAVA = """
            #!/bin/sh
            if [ "$1" = -version ]; then
              echo 'openjdk version "VERSION" 2025-04-15' >&2
              exit 0
            fi
            for argument in "$@"; do echo "<$argument>"; done
            """;
    private static final String FAKE_MAVEN = """
            #!/bin/sh
            echo "$@" >> maven.log
            mkdir -p target
            for argument in "$@"; do
              case $argument in
                package) echo jar > target/fanfold.jar ;;
                -Dmdep.outputFile=*) echo "server jar" > "repository/server.jar"
                  printf '%s/repository/server.jar' "$PWD" > "${argument#*=}" ;;
              esac
            done
            """;

    @TempDir
    Path directory;

    private Path project = Path.of("");
    private Path jdk = Path.of("");

    private record Result(int exitCode, String out, String err) {}

    @BeforeEach
    void copyTheProject() throws IOException {
        project = Files.createDirectories(directory.resolve("a project's folder"));
        jdk = directory.resolve("a jdk");
        Files.createDirectories(project.resolve("src/main"));
        Files.createDirectories(project.resolve("repository"));
        Files.writeString(project.resolve("pom.xml"), "<project/>");
        Files.writeString(project.resolve("src/main/A.java"), "class A {}");
        Files.copy(Path.of("fanfold"), project.resolve("fanfold"), StandardCopyOption.COPY_ATTRIBUTES);
        script(project.resolve("mvnw"), FAKE_MAVEN);
        script(jdk.resolve("bin/javac"), "#!/bin/sh\n");
        java("17.0.15");
    }

    @Test
    void buildsWhenTheJarIsMissingAndPassesArgumentsOn() throws Exception {
        Result result = launch("run", "--config", "my file.yaml", "");
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.out())
                .isEqualTo("<-Dfanfold.home=" + project.toRealPath() + ">\n<-jar>\n<"
                        + project.toRealPath().resolve("target/fanfold.jar")
                        + ">\n<run>\n<--config>\n<my file.yaml>\n<>\n");
        assertThat(mavenRuns()).singleElement().asString().contains("package", "-Dmaven.test.skip=true");
    }

    @Test
    void stormsBlowForSoManyMinutes() throws Exception {
        assertThat(launch("storms", "3").exitCode()).isZero();
        assertThat(mavenRuns())
                .singleElement()
                .asString()
                .contains(" verify ", "-Dit.test=StormIT,", "-Dfanfold.it.storm.seconds=180");
        for (String none : List.of("0", "-1", "x", "")) {
            Result result = launch("storms", none);
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.err()).contains("'" + none + "' (expected: minutes for each storm, 1 or more)");
        }
        assertThat(mavenRuns()).hasSize(1);
    }

    @Test
    void doesNotBuildAgainUntilASourceIsNewer() throws Exception {
        launch("run");
        launch("run");
        assertThat(mavenRuns()).hasSize(1);
        Files.setLastModifiedTime(
                project.resolve("src/main/A.java"), FileTime.from(Instant.now().plusSeconds(60)));
        launch("run");
        assertThat(mavenRuns()).hasSize(2);
    }

    @Test
    void worksThroughASymbolicLinkFromAnotherFolder() throws Exception {
        Path link = Files.createSymbolicLink(directory.resolve("link"), project.resolve("fanfold"));
        Result result = launch(link, Map.of("JAVA_HOME", jdk.toString()), "run");
        assertThat(result.out()).startsWith("<-Dfanfold.home=" + project.toRealPath() + ">\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo", "bench"})
    void findsTheEmbeddedServerOnce(String command) throws Exception {
        Result first = launch(command, "--exit");
        assertThat(first.out())
                .contains("<-Dfanfold.mariadb.jar=" + project.toRealPath().resolve("repository/server.jar")
                        + ">\n<-jar>");
        assertThat(launch(command, "--exit").out()).isEqualTo(first.out());
        assertThat(mavenRuns()).hasSize(2);
    }

    @Test
    void keepsDemoAndBenchmarkQuietUnlessALevelIsChosen() throws Exception {
        assertThat(launch("bench", "--server", "h:1").out()).contains("<-Dfanfold.log.level=WARN>");
        assertThat(launch("run").out()).doesNotContain("log.level");
        Map<String, String> chosen = Map.of("JAVA_HOME", jdk.toString(), "FANFOLD_LOG_LEVEL", "DEBUG");
        assertThat(launch(project.resolve("fanfold"), chosen, "demo", "--server", "h:1")
                        .out())
                .doesNotContain("log.level");
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo --server h:1", "demo --server=h:1", "bench --help", "run", "check-config demo"})
    void needsNoEmbeddedServer(String arguments) throws Exception {
        assertThat(launch(arguments.split(" ")).out()).doesNotContain("mariadb.jar");
        assertThat(mavenRuns()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"1.8.0_392,1", "11.0.2,1", "16,1", "17,0", "17-ea,0", "21.0.1+12,0", "25,0"})
    void wantsJava17(String version, int exitCode) throws Exception {
        java(version);
        Result result = launch("run");
        assertThat(result.exitCode()).isEqualTo(exitCode);
        if (exitCode != 0) {
            assertThat(result.err()).contains("is version " + version + " (expected: a JDK 17 or later)");
        }
    }

    @Test
    void saysThatJavaIsMissing() throws Exception {
        Result result = launch(project.resolve("fanfold"), Map.of("JAVA_HOME", "/none"), "run");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .isEqualTo("fanfold: JAVA_HOME is '/none', which has no bin/java (expected: a JDK 17 or later)\n");
    }

    @Test
    void saysThatTheBuildFailed() throws Exception {
        script(project.resolve("mvnw"), "#!/bin/sh\necho broken source\nexit 1\n");
        Result result = launch("run");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("broken source").endsWith("fanfold: the build failed (see above)\n");
    }

    private Result launch(String... arguments) throws Exception {
        return launch(project.resolve("fanfold"), Map.of("JAVA_HOME", jdk.toString()), arguments);
    }

    private Result launch(Path launcher, Map<String, String> environment, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(launcher.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("err").toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Result(
                process.exitValue(),
                Files.readString(directory.resolve("out")),
                Files.readString(directory.resolve("err")));
    }

    private List<String> mavenRuns() throws IOException {
        return Files.readAllLines(project.resolve("maven.log"), StandardCharsets.UTF_8);
    }

    private void java(String version) throws IOException {
        script(jdk.resolve("bin/java"), FAKE_JAVA.replace("VERSION", version));
    }

    private static void script(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
