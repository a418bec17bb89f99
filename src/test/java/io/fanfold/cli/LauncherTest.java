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
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the launcher in a copy of the project folder, with a Java and a Maven that only record their arguments. */
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
                package) echo jar > target/fanfold.jar; echo jar > target/fanfold-tools.jar ;;
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
        Files.createDirectories(project.resolve("src/test"));
        Files.createDirectories(project.resolve("repository"));
        Files.writeString(project.resolve("pom.xml"), "<project/>");
        Files.writeString(project.resolve("src/main/A.java"), "class A {}");
        Files.createDirectories(project.resolve("src/main/scripts"));
        copy("fanfold", project.resolve("fanfold"));
        copy("src/main/scripts/java.sh", project.resolve("src/main/scripts/java.sh"));
        script(project.resolve("mvnw"), FAKE_MAVEN);
        script(jdk.resolve("bin/javac"), "#!/bin/sh\n");
        java("17.0.15");
    }

    @Test
    void buildsWhenTheJarIsMissingAndPassesArgumentsOn() throws Exception {
        Path compiled = Files.createDirectories(project.resolve("target/maven-status"));
        Result result = launch("run", "--config", "my file.yaml", "");
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.out())
                .isEqualTo("<-Dfanfold.home=" + project.toRealPath() + ">\n<-jar>\n<"
                        + project.toRealPath().resolve("target/fanfold.jar")
                        + ">\n<run>\n<--config>\n<my file.yaml>\n<>\n");
        assertThat(mavenRuns()).singleElement().asString().contains("package", "-Dmaven.test.skip=true", "-Dunchecked");
        assertThat(compiled).as("the next build of Maven compiles again").doesNotExist();
    }

    @Test
    void stormsRunForTheGivenMinutes() throws Exception {
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

    @Test
    void javaOptionsAreSeparatedByBlanks() throws Exception {
        Map<String, String> options = Map.of("JAVA_HOME", jdk.toString(), "JAVA_OPTS", " -Xmx1g  * ");
        assertThat(launch(launcher(), options, "run").out())
                .startsWith("<-Xmx1g>\n<*>\n<-Dfanfold.home=" + project.toRealPath() + ">\n<-jar>\n");
    }

    @Test
    void theLauncherOfTheArchiveStartsTheJarBesideIt() throws Exception {
        Path home = Files.createDirectories(directory.resolve("installed here/fanfold-1"));
        Files.createDirectories(home.resolve("bin"));
        Files.createDirectories(home.resolve("lib"));
        copy("src/main/scripts/fanfold", home.resolve("bin/fanfold"));
        copy("src/main/scripts/java.sh", home.resolve("lib/java.sh"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), home.resolve("bin/fanfold"));
        Result result = launch(link, Map.of("JAVA_HOME", jdk.toString(), "JAVA_OPTS", "-Xmx1g"), "run", "a b");
        assertThat(result.out())
                .isEqualTo("<-Xmx1g>\n<-Dfanfold.home=" + home.toRealPath() + ">\n<-jar>\n<"
                        + home.toRealPath().resolve("lib/fanfold.jar") + ">\n<run>\n<a b>\n");
        java("11.0.2");
        result = launch(link, Map.of("JAVA_HOME", jdk.toString()), "run");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).contains("is version 11.0.2 (expected: Java 17 or later)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo", "bench"})
    void findsTheEmbeddedServerOnce(String command) throws Exception {
        Result first = launch(command, "--exit");
        assertThat(first.out())
                .contains("<-Dfanfold.mariadb.jar=" + project.toRealPath().resolve("repository/server.jar") + ">\n<-"
                        + (command.equals("demo") ? "jar" : "cp") + ">");
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
            assertThat(result.err()).contains("is version " + version + " (expected: Java 17 or later)");
        }
    }

    @Test
    void saysThatJavaIsMissing() throws Exception {
        Result result = launch(project.resolve("fanfold"), Map.of("JAVA_HOME", "/none"), "run");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .isEqualTo("fanfold: JAVA_HOME is '/none', which has no bin/java (expected: Java 17 or later)\n");
    }

    @Test
    void saysThatTheBuildFailed() throws Exception {
        script(project.resolve("mvnw"), """
                #!/bin/sh
                echo 'Downloading from central: https://example/a.jar'
                printf 'Progress (1): 1.2/3.4 MB\\rProgress (1): 3.4 MB    \\r                    \\r'
                echo broken source
                exit 1
                """);
        Result result = launch("run");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).isEqualTo("fanfold: building\nbroken source\nfanfold: the build failed (see above)\n");
    }

    @Test
    void reportsTheStepsOfMavenInPlainLines() throws Exception {
        script(project.resolve("mvnw"), progress("../err"));
        Result result = launch("run");
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.err().lines().map(line -> line.replaceFirst("\\d+ s$", "N s")))
                .containsSubsequence(
                        "fanfold: fetching the embedded MariaDB [###-------] 31 % of 142 MB, N s",
                        "fanfold: building (compile), 1 files fetched, N s", "fanfold: building: done after N s");
        assertThat(result.err()).matches("[ -~\n]*");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void drawsOneLineOnATerminal() throws Exception {
        script(project.resolve("mvnw"), progress("../out"));
        // The command script provides a terminal and copies its output to standard output.
        Result result = run(
                Map.of("JAVA_HOME", jdk.toString(), "LAUNCHER", launcher().toString()),
                List.of("script", "-qec", "\"$LAUNCHER\" run", "/dev/null"));
        assertThat(result.exitCode()).as(result.out()).isZero();
        List<String> drawn = List.of(result.out().replaceAll("\\d+ s", "N s").split(" *\r\n?"));
        assertThat(drawn)
                .containsSubsequence(
                        "fanfold: fetching the embedded MariaDB [###-------] 31 % of 142 MB, N s",
                        "fanfold: building (compile), 1 files fetched, N s", "fanfold: building: done after N s");
        assertThat(drawn).allSatisfy(line -> assertThat(line).hasSizeLessThan(80));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void saysGoodbyeWhenItIsInterrupted() throws Exception {
        script(project.resolve("mvnw"), "#!/bin/sh\nkill -INT $PPID\n");
        // A shell that starts the tests in the background may have disabled SIGINT for all child processes.
        Result result = run(
                Map.of("JAVA_HOME", jdk.toString()),
                List.of("env", "--default-signal=INT", launcher().toString(), "run"));
        assertThat(result.exitCode()).isEqualTo(130);
        assertThat(result.err()).isEqualTo("fanfold: building\nfanfold: stopped; the next start goes on from here\n");
    }

    /** A Maven that continues once the launcher has printed its last step. */
    private static String progress(String told) {
        return """
                #!/bin/sh
                say() { printf "$1"; until grep -q "$2" TOLD; do sleep 0.1; done; }
                echo '[INFO] Scanning for projects...'
                say 'Progress (2): 4.3/18 MB | 45/142 MB\\r' 'of 142 MB'
                printf 'Progress (1): 142 MB    \\r                  \\r'
                echo 'Downloaded from central: https://example/server.jar (142 MB at 60 MB/s)'
                say '[INFO] --- compiler:3.14.1:compile (default-compile) @ fanfold ---\\n' '(compile)'
                mkdir -p target
                echo jar > target/fanfold.jar
                """.replace("TOLD", told);
    }

    private Path launcher() {
        return project.resolve("fanfold");
    }

    private Result launch(String... arguments) throws Exception {
        return launch(launcher(), Map.of("JAVA_HOME", jdk.toString()), arguments);
    }

    private Result launch(Path launcher, Map<String, String> environment, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(launcher.toString()));
        command.addAll(List.of(arguments));
        return run(environment, command);
    }

    private Result run(Map<String, String> environment, List<String> command) throws Exception {
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

    private static void copy(String file, Path target) throws IOException {
        Files.copy(Path.of(file), target, StandardCopyOption.COPY_ATTRIBUTES);
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
