package io.fanfold;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.ServerPacket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/**
 * Checks the package layers: a package imports only from earlier rows, and only one place may use each library.
 * Dependencies between the classes of a package have as few cycles as possible.
 */
class ArchitectureTest {
    /** The rows in order. Packages of the same row do not depend on each other. */
    private static final List<List<String>> ROWS = List.of(
            List.of("reason", "config", "row", "status"),
            List.of("metrics", "wire", "tls"),
            List.of("catalog", "sql"),
            List.of("variables", "plan"),
            List.of("client", "operator"),
            List.of("snapshot", "replica", "verify", "binlog"),
            List.of("pool", "reuse"),
            List.of("discovery"),
            List.of("execute"),
            List.of("session", "inspect"),
            List.of("server", "http"),
            List.of("demo"),
            List.of("observe"),
            List.of("cli"));

    private static final Pattern ROW_OF_PAGE = Pattern.compile("^\\| (\\d+) \\| `(\\w+)` \\|");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.fanfold");

    @Test
    void everyPackageHasARow() {
        List<String> known = ROWS.stream().flatMap(List::stream).toList();
        Assertions.assertThat(CLASSES.stream()
                        .map(JavaClass::getPackageName)
                        .map(ArchitectureTest::room)
                        .distinct())
                .isSubsetOf(known);
    }

    @Test
    void noFileHasMoreThan400Lines() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            Assertions.assertThat(files.filter(file -> file.toString().endsWith(".java")))
                    .isNotEmpty()
                    .allSatisfy(file -> Assertions.assertThat(Files.readAllLines(file))
                            .as(file.toString())
                            .hasSizeLessThanOrEqualTo(400));
        }
    }

    @Test
    void theArchitecturePageHasTheSameRows() throws IOException {
        List<String> shown = Files.readAllLines(Path.of("docs/architecture.md")).stream()
                .map(ROW_OF_PAGE::matcher)
                .filter(Matcher::find)
                .map(line -> line.group(1) + " " + line.group(2))
                .toList();
        List<String> rows = new ArrayList<>();
        for (int row = 0; row < ROWS.size(); row++) {
            for (String room : ROWS.get(row)) {
                rows.add((row + 1) + " " + room);
            }
        }
        Assertions.assertThat(shown).isEqualTo(rows);
    }

    /** More than two classes that depend on each other are hard to understand one by one. */
    @Test
    void circlesAreOfTwo() {
        List<Set<String>> circles =
                Circles.of(CLASSES).stream().map(ArchitectureTest::names).toList();
        Assertions.assertThat(circles)
                .as("the finder finds the circle of request and controller")
                .anyMatch(circle -> circle.containsAll(Set.of("pool.AdmissionController", "pool.WorkerRequest")));
        Assertions.assertThat(circles)
                .as("classes that reach each other")
                .filteredOn(circle -> circle.size() > 2)
                .isEmpty();
    }

    private static Set<String> names(List<JavaClass> circle) {
        return circle.stream()
                .map(type -> type.getName().substring("io.fanfold.".length()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void importsOnlyFromEarlierRows() {
        for (int row = 0; row < ROWS.size(); row++) {
            for (String room : ROWS.get(row)) {
                for (int other = row; other < ROWS.size(); other++) {
                    for (String forbidden : ROWS.get(other)) {
                        if (!forbidden.equals(room)) {
                            noClasses()
                                    .that()
                                    .resideInAPackage("io.fanfold." + room + "..")
                                    .should()
                                    .dependOnClassesThat()
                                    .resideInAPackage("io.fanfold." + forbidden + "..")
                                    .allowEmptyShould(true)
                                    .check(CLASSES);
                        }
                    }
                }
            }
        }
    }

    /** The rooms of a session: what all phases use, the login and prepared statements, the commands, and the session itself. */
    @Test
    void sessionsAreBuiltUpwards() {
        below("session.channel", "session.handshake", "session.prepared", "session.command", "session");
        below("session.handshake", "session.prepared", "session.command", "session");
        below("session.prepared", "session.handshake", "session.command", "session");
        below("session.command", "session");
    }

    private static void below(String room, String... above) {
        String[] packages =
                List.of(above).stream().map(name -> "io.fanfold." + name).toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage("io.fanfold." + room)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(packages)
                .check(CLASSES);
    }

    @Test
    void noCycles() {
        SlicesRuleDefinition.slices()
                .matching("io.fanfold.(*)..")
                .should()
                .beFreeOfCycles()
                .check(CLASSES);
    }

    @Test
    void librariesHaveTheirPlace() {
        only("net.sf.jsqlparser..", "sql");
        only("com.zaxxer.hikari..", "pool");
        only("java.sql..", "pool", "catalog");
        only("javax.sql..", "pool", "catalog");
        only("io.netty.channel..", "wire", "session", "server", "http", "cli");
        only("io.netty.handler.codec.http..", "http");
        only("io.micrometer..", "metrics", "pool");
        only("io.prometheus..", "metrics");
        only("com.fasterxml.jackson..", "config", "status", "http", "observe");
        only("picocli..", "cli", "demo");
        only("org.bouncycastle..", "tls");
        only("io.airlift..", "wire");
        only("io.netty.handler.ssl..", "tls", "session", "http");
    }

    /**
     * In a chroot the system does not know the file system of a folder, so this call fails: "Mount point not found".
     */
    @Test
    void fileStoresAreNotAskedFor() {
        noClasses().should().callMethod(Files.class, "getFileStore", Path.class).check(CLASSES);
    }

    private static void only(String library, String... rooms) {
        String[] allowed =
                List.of(rooms).stream().map(room -> "io.fanfold." + room + "..").toArray(String[]::new);
        noClasses()
                .that()
                .resideOutsideOfPackages(allowed)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(library)
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    private static String room(String packageName) {
        String[] parts = packageName.split("\\.");
        return parts.length > 2 ? parts[2] : "";
    }

    /** Compressed packets have another header, which also begins with a length of 3 bytes. */
    @Test
    void headersOfPacketsAreReadAndWrittenInOnePlace() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(PacketCodec.class.getName())
                .and()
                .doNotHaveSimpleName("CompressionHandler")
                .should()
                .callMethodWhere(target(nameMatching("(get|read|set|write)(Unsigned)?MediumLE")))
                .check(CLASSES);
    }

    /** Only this place makes sure that no error has a code of the client libraries. */
    @Test
    void errorPacketsAreMadeInOnePlace() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.fanfold.wire")
                .and()
                .doNotHaveSimpleName("ProxyError")
                .should()
                .callMethod(ServerPacket.Err.class, "encode")
                .check(CLASSES);
    }
}
