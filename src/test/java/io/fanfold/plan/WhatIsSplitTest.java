package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Checks that {@code docs/what-is-split.md} names every reason and shows the current plans. */
class WhatIsSplitTest {
    /** Reasons that are decided from the text alone, before a server is asked. Their examples must be refused. */
    private static final Set<Reason> OF_THE_TEXT = ofTheText();

    private static final Pattern BLOCK = Pattern.compile("```sql\n(.*?)\n```", Pattern.DOTALL);

    /** A row of the table of reasons: reason, meaning, example, remedy. */
    private static final Pattern ROW =
            Pattern.compile("^\\| `([a-z_]+)` \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\|$", Pattern.MULTILINE);

    /** An example that is only a statement. */
    private static final Pattern STATEMENT = Pattern.compile("`([^`]+)`");

    /** The cells of a row. */
    private record Row(String label, String meaning, String example, String remedy) {}

    @TestFactory
    Stream<DynamicTest> everyReasonIsExplained() throws IOException {
        List<Row> rows = reasons(page());
        return Arrays.stream(Reason.values())
                .map(reason -> DynamicTest.dynamicTest(reason.label(), () -> explained(rows, reason)));
    }

    private static void explained(List<Row> rows, Reason reason) {
        List<Row> own =
                rows.stream().filter(row -> row.label().equals(reason.label())).toList();
        assertThat(own).as("rows of this reason").hasSize(1);
        Row row = own.get(0);
        assertThat(row.meaning().toLowerCase(Locale.ROOT).replace("`", ""))
                .isEqualTo(reason.sentence().toLowerCase(Locale.ROOT) + ".");
        assertThat(row.example()).isNotBlank();
        assertThat(row.remedy()).isNotBlank().endsWith(".");
        if (OF_THE_TEXT.contains(reason)) {
            Matcher statement = STATEMENT.matcher(row.example());
            assertThat(statement.matches()).as("an example").isTrue();
            assertThat(GoldenPlanTest.plan(statement.group(1))).containsExactly("refused: " + reason);
        }
    }

    /** A reader looks up a reason by its name. */
    @Test
    void reasonsAreInAlphabeticalOrder() throws IOException {
        List<String> labels = reasons(page()).stream().map(Row::label).toList();
        assertThat(labels).isSorted().hasSameSizeAs(Reason.values());
    }

    @Test
    void plansAreThoseOfTheGoldenFile() throws IOException {
        List<List<String>> shown = new ArrayList<>();
        Matcher block = BLOCK.matcher(page());
        while (block.find()) {
            shown.add(List.of(block.group(1).split("\n")));
        }
        assertThat(shown).hasSizeGreaterThan(30);
        assertThat(GoldenPlanTest.blocks()).containsAll(shown);
    }

    @Test
    void everyRefusalOfTheGoldenFileIsOfTheText() throws IOException {
        Set<String> golden = new TreeSet<>();
        for (List<String> lines : GoldenPlanTest.blocks()) {
            GoldenPlanTest.refusedFor(lines).ifPresent(golden::add);
        }
        golden.remove(Reason.ALREADY_FAST.name()); // its usual cause is a setting, its rarer one LIMIT 0
        assertThat(OF_THE_TEXT.stream().map(Reason::name)).containsAll(golden);
    }

    private static Set<Reason> ofTheText() {
        Set<Reason> reasons = EnumSet.range(Reason.NOT_A_SELECT, Reason.ARGUMENT_TYPE);
        reasons.remove(Reason.TOO_LONG); // the example would fill the page
        return reasons;
    }

    /** Returns the rows of the table of reasons without its head. */
    private static List<Row> reasons(String page) {
        int start = page.indexOf("\n## Reasons\n");
        int end = page.indexOf("\n## ", start + 1);
        assertThat(start).isPositive();
        assertThat(end).isGreaterThan(start);
        List<Row> rows = new ArrayList<>();
        Matcher row = ROW.matcher(page.substring(start, end));
        while (row.find()) {
            rows.add(new Row(row.group(1), row.group(2), row.group(3), row.group(4)));
        }
        return rows;
    }

    private static String page() throws IOException {
        return Files.readString(Path.of("docs", "what-is-split.md"));
    }
}
