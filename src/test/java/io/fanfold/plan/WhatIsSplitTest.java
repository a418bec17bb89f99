package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.metrics.Reason;
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

/** Holds {@code docs/what-is-split.md} complete and true: every reason, and plans as they are. */
class WhatIsSplitTest {
    /** Reasons that are decided before a server is asked, so that the example alone has to give them. */
    private static final Set<Reason> OF_THE_TEXT = ofTheText();

    private static final Pattern BLOCK = Pattern.compile("```sql\n(.*?)\n```", Pattern.DOTALL);

    @TestFactory
    Stream<DynamicTest> everyReasonIsExplained() throws IOException {
        String page = page();
        return Arrays.stream(Reason.values())
                .map(reason -> DynamicTest.dynamicTest(reason.label(), () -> explained(page, reason)));
    }

    private static void explained(String page, Reason reason) {
        String heading = "#### `" + reason.label() + "`\n";
        assertThat(page).containsOnlyOnce(heading);
        int start = page.indexOf(heading) + heading.length();
        int end = page.indexOf("\n#", start);
        String section = page.substring(start, end < 0 ? page.length() : end);
        assertThat(section.toLowerCase(Locale.ROOT).replace('\n', ' '))
                .contains(reason.sentence().toLowerCase(Locale.ROOT));
        assertThat(section).contains("\nWhat to do: ");
        Matcher example = BLOCK.matcher(section);
        assertThat(example.find()).as("an example").isTrue();
        if (OF_THE_TEXT.contains(reason)) {
            assertThat(GoldenPlanTest.plan(example.group(1))).containsExactly("refused: " + reason);
        }
    }

    @Test
    void plansAreThoseOfTheGoldenFile() throws IOException {
        String page = page();
        String split = page.substring(0, page.indexOf("## What is not split"));
        List<List<String>> shown = new ArrayList<>();
        Matcher block = BLOCK.matcher(split);
        while (block.find()) {
            shown.add(List.of(block.group(1).split("\n")));
        }
        assertThat(shown).hasSizeGreaterThan(5);
        assertThat(GoldenPlanTest.blocks()).containsAll(shown);
    }

    @Test
    void everyRefusalOfTheGoldenFileIsOfTheText() throws IOException {
        Set<String> golden = new TreeSet<>();
        for (List<String> lines : GoldenPlanTest.blocks()) {
            String last = lines.get(lines.size() - 1);
            if (last.startsWith("refused: ")) {
                golden.add(last.substring("refused: ".length()));
            }
        }
        golden.remove(Reason.ALREADY_FAST.name()); // its usual cause is a setting, its rarer one LIMIT 0
        assertThat(OF_THE_TEXT.stream().map(Reason::name)).containsAll(golden);
    }

    private static Set<Reason> ofTheText() {
        Set<Reason> reasons = EnumSet.range(Reason.NOT_A_SELECT, Reason.ARGUMENT_TYPE);
        reasons.remove(Reason.TOO_LONG); // the example would fill the page
        return reasons;
    }

    private static String page() throws IOException {
        return Files.readString(Path.of("docs", "what-is-split.md"));
    }
}
