package io.fanfold.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.observe.LineReader.Line;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineReaderTest {
    private static List<String> read(String text, int longest) throws IOException {
        LineReader reader = new LineReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), longest);
        List<String> lines = new ArrayList<>();
        for (Line line = reader.next(); line != null; line = reader.next()) {
            lines.add(new String(line.bytes(), StandardCharsets.UTF_8) + "|" + (line.cut() ? "cut" : "whole") + "|"
                    + (line.last() == 0 ? "blank" : String.valueOf((char) line.last())));
        }
        return lines;
    }

    @Test
    void readsLines() throws IOException {
        assertThat(read("a;\n\n b \r\nend", 9))
                .containsExactly("a;|whole|;", "|whole|blank", " b \r|whole|b", "end|whole|d");
        assertThat(read("", 9)).isEmpty();
        assertThat(read("a\n", 9)).containsExactly("a|whole|a");
    }

    @Test
    void keepsTheBeginningOfALongLineAndItsLastByte() throws IOException {
        assertThat(read("abcdef; \nnext\n", 3)).containsExactly("abc|cut|;", "nex|cut|t");
    }

    @Test
    void aLineMayBeLongerThanTheBuffer() throws IOException {
        String wide = "x".repeat(200_000);
        assertThat(read(wide + ";\nb", 300_000)).containsExactly(wide + ";|whole|;", "b|whole|b");
        assertThat(read(wide + ";\nb", 2)).containsExactly("xx|cut|;", "b|whole|b");
    }
}
