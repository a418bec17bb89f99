package io.fanfold.binlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GtidSetTest {
    private static final String A = "aaaaaaaa-0000-0000-0000-000000000001";
    private static final String B = "bbbbbbbb-0000-0000-0000-000000000002";

    private static GtidSet set(String text) {
        return GtidSet.parse(text);
    }

    @Test
    void readsAndShowsSets() {
        assertThat(set("").toString()).isEmpty();
        assertThat(set(A + ":1-5:7:9-10,\n" + B.toUpperCase(Locale.ROOT) + ":3").toString())
                .isEqualTo(A + ":1-5:7:9-10," + B + ":3");
        assertThat(set(A + ":9:1-5:6-7:8").toString()).as("in order").isEqualTo(A + ":1-9");
    }

    /** The server writes a UUID once, with the intervals of each tag after it. */
    @Test
    void readsTags() {
        GtidSet tagged = set(A + ":1-3:fan:1-5:7:x:2");
        assertThat(tagged.toString()).isEqualTo(A + ":1-3," + A + ":fan:1-5:7," + A + ":x:2");
        assertThat(tagged.contains(A + ":fan", 7)).isTrue();
        assertThat(tagged.contains(A, 7)).isFalse();
        assertThat(tagged.contains(A + ":y", 2)).isFalse();
        assertThat(set(A + ":1-9").contains(tagged)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"x:1", A + ":0", A + ":5-3", A + ":-", A + ":", A + ":1-x"})
    void refusesOtherTexts(String text) {
        assertThatThrownBy(() -> set(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void contains() {
        GtidSet some = set(A + ":1-5:8-9," + B + ":3");
        assertThat(some.contains(some)).isTrue();
        assertThat(some.contains(set(""))).isTrue();
        assertThat(some.contains(set(A + ":2-4:8"))).isTrue();
        assertThat(some.contains(set(A + ":4-6"))).isFalse();
        assertThat(some.contains(set(A + ":5-8"))).isFalse();
        assertThat(some.contains(set(A + ":1," + B + ":2"))).isFalse();
        assertThat(set("").contains(some)).isFalse();
        assertThat(some.contains(A, 5)).isTrue();
        assertThat(some.contains(A, 6)).isFalse();
    }

    @Test
    void addsOne() {
        GtidSet some = set(A + ":1-5:7");
        assertThat(some.plus(A, 6)).isEqualTo(set(A + ":1-7"));
        assertThat(some.plus(A, 9)).isEqualTo(set(A + ":1-5:7:9"));
        assertThat(some.plus(B, 1)).isEqualTo(set(A + ":1-5:7," + B + ":1"));
        assertThat(some.plus(A, 3)).isEqualTo(some);
        assertThat(some.plus(A + ":fan", 1)).isEqualTo(set(A + ":1-5:7:fan:1"));
        assertThat(some.toString()).as("unchanged").isEqualTo(A + ":1-5:7");
    }

    @Test
    void encodesForTheServer() {
        String uuid = "aaaaaaaa000000000000000000000001";
        assertThat(hex(set(A + ":1-5:7")))
                .isEqualTo("0100000000000000" + uuid + "0200000000000000" + "0100000000000000" + "0600000000000000"
                        + "0700000000000000" + "0800000000000000");
        assertThat(hex(set(A + ":1:fan:2")))
                .as("with a tag")
                .isEqualTo("0102000000000001" + uuid + "00" + "0100000000000000" + "0100000000000000"
                        + "0200000000000000" + uuid + "0666616e" + "0100000000000000" + "0200000000000000"
                        + "0300000000000000");
    }

    private static String hex(GtidSet set) {
        return HexFormat.of().formatHex(set.encode());
    }
}
