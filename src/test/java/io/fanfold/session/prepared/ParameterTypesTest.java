package io.fanfold.session.prepared;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ParameterTypesTest {
    private static final String TINY = "0100";
    private static final String BIGINT = "0800";
    private static final String UNSIGNED = "0880";
    private static final String DECIMAL = "f600";
    private static final String DOUBLE = "0500";
    private static final String STRING = "fd00";
    private static final String BLOB = "fc00";
    private static final String DATE = "0a00";
    private static final String DATETIME = "0c00";
    private static final String NULL = "0600";

    private static byte[] types(String... hex) {
        return HexFormat.of().parseHex(String.join("", hex));
    }

    private static boolean added(ParameterTypes kinds, byte[] types) {
        boolean same = kinds.sameAsBefore(types);
        assertThat(kinds.sameAsBefore(types)).as("asked again").isEqualTo(same);
        kinds.add(types);
        return same;
    }

    @Test
    void numbersOfOneKindAreTheSameAndNullMatchesAll() {
        ParameterTypes kinds = new ParameterTypes(2);
        assertThat(added(kinds, types(NULL, STRING))).isTrue();
        assertThat(added(kinds, types(TINY, NULL))).isTrue();
        assertThat(added(kinds, types(DECIMAL, STRING))).isTrue();
        assertThat(added(kinds, types(BIGINT, STRING))).isTrue();
        assertThat(added(kinds, types(BIGINT, NULL))).isTrue();
    }

    @Test
    void mixedTypesStayMixed() {
        String[] all = {BIGINT, UNSIGNED, DOUBLE, STRING, BLOB, DATE, DATETIME};
        for (String one : all) {
            for (String other : all) {
                ParameterTypes kinds = new ParameterTypes(1);
                assertThat(added(kinds, types(one))).isTrue();
                assertThat(added(kinds, types(NULL))).isTrue();
                assertThat(added(kinds, types(other))).as("%s, %s", one, other).isEqualTo(one.equals(other));
                assertThat(added(kinds, types(one))).as("%s, %s", one, other).isEqualTo(one.equals(other));
            }
        }
    }

    @Test
    void typesThatAreNotKnownMayBeAny() {
        ParameterTypes kinds = new ParameterTypes(1);
        assertThat(added(kinds, types())).isFalse();
        assertThat(added(kinds, types(BIGINT))).isFalse();
        assertThat(added(new ParameterTypes(0), types())).isTrue();
    }
}
