package io.fanfold.verify;

import io.fanfold.verify.DifferingStatements.DifferingStatement;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;

/**
 * The report of a statement with a different answer, for people. Immutable.
 *
 * @param statement the statement
 * @param server the server's version
 * @param snapshot how the snapshots were proven equal
 * @param sent the digest of the answer that was sent
 * @param direct the digest of the server's answer
 * @param plan the lines of the plan
 * @param script SQL statements that show both sides, without semicolons; comments are lines of their own
 */
public record DifferenceReport(
        DifferingStatement statement,
        String server,
        String snapshot,
        String sent,
        String direct,
        List<String> plan,
        List<String> script) {
    private static final DateTimeFormatter NAME =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    public DifferenceReport {
        plan = List.copyOf(plan);
        script = List.copyOf(script);
    }

    /** Returns the report as SQL: everything but the script is comments. */
    String text() {
        StringBuilder text = new StringBuilder();
        comment(text, "Fanfold " + statement.id() + ": the answer to a split statement differs from the server's.");
        comment(text, "found: " + statement.since());
        comment(text, "difference: " + statement.why());
        comment(text, "server: " + server);
        comment(text, "snapshot: " + snapshot);
        comment(text, "sent by Fanfold: " + sent);
        comment(text, "by the server: " + direct);
        comment(text, "schema: " + statement.schema());
        comment(text, "statement: " + statement.text());
        plan.forEach(line -> comment(text, "plan: " + line));
        text.append('\n');
        for (String sql : script) {
            text.append(sql).append(sql.startsWith("-- ") ? "\n" : ";\n");
        }
        return text.toString();
    }

    private static void comment(StringBuilder text, String line) {
        text.append("-- ").append(line.replace('\n', ' ').replace('\r', ' ')).append('\n');
    }

    /**
     * Writes the report to a new file, which only its owner may read.
     *
     * @param directory exists
     * @return the file
     */
    public Path write(Path directory) throws IOException {
        Path file = directory.resolve(statement.id() + "-" + NAME.format(statement.since()) + ".sql");
        Files.deleteIfExists(file);
        boolean posix = directory.getFileSystem().supportedFileAttributeViews().contains("posix");
        if (posix) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        Files.writeString(file, text(), StandardCharsets.UTF_8);
        return file;
    }
}
