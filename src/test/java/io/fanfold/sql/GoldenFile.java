package io.fanfold.sql;

import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A test resource of statements: {@code # comment} lines, {@code === title [flags]} lines, each followed by the
 * statement and, after a line {@code ---}, the expectation. The sign {@code ⏎} means a line feed that a statement
 * must have at a certain place. Flags: {@code mariadb}, {@code ansi}, {@code nobackslash}.
 */
final class GoldenFile {
    /**
     * One entry.
     *
     * @param title its subject
     * @param dialect from the flags
     * @param sql the statement
     * @param expected the lines after {@code ---}
     */
    record Case(String title, SqlDialect dialect, String sql, String expected) {
        @Override
        public String toString() {
            return title + ": " + sql;
        }
    }

    private GoldenFile() {}

    /** Returns the whole text of a resource. */
    static String text(String resource) {
        try (InputStream in = GoldenFile.class.getResourceAsStream("/sql/" + resource)) {
            if (in == null) {
                throw new IllegalStateException("no test resource " + resource);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<Case> read(String resource) {
        return parse(text(resource));
    }

    /** Returns the entries of a file's text. */
    static List<Case> parse(String text) {
        List<Case> cases = new ArrayList<>();
        for (String block : text.split("(?m)^=== ")) {
            if (block.startsWith("#") || block.isBlank()) {
                continue;
            }
            int line = block.indexOf('\n');
            String head = block.substring(0, line);
            String[] parts = block.substring(line + 1).split("(?m)^---\n", -1);
            String sql = parts[0].endsWith("\n") ? parts[0].substring(0, parts[0].length() - 1) : parts[0];
            cases.add(new Case(
                    head.replaceAll(" *\\[.*\\]", ""),
                    dialect(head),
                    sql.replace('⏎', '\n'),
                    parts.length > 1 ? parts[1].strip() : ""));
        }
        return cases;
    }

    static SqlDialect dialect(String flags) {
        return new SqlDialect(
                ServerFlavor.mariaDbIf(flags.contains("[mariadb")),
                flags.contains("ansi]"),
                flags.contains("nobackslash]"),
                StandardCharsets.UTF_8);
    }
}
