package io.fanfold.row;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowBuilderTest {
    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 0xfa, 0xfb, 0xfc, 0xffff, 0x10000, 0xffffff, 0x1000000})
    void writesEachFormOfLength(int length) {
        byte[] value = new byte[length];
        byte[] payload = new RowBuilder().add(value).add(bytes("end")).toPayload();
        assertThat(payload).isEqualTo(Row.ofValues(List.of(value, bytes("end"))).payload());
    }

    @Test
    void copiesValuesOfRowsAndParts() {
        Row from = new RowBuilder().addNull().add(bytes("x")).add(bytes("")).toRow();
        RowBuilder builder = new RowBuilder();
        byte[] part = builder.add(from, 1).add(from, 0).toPayload();
        assertThat(builder.clear().add(from, 2).addAll(part, 0, part.length, 2).toRow())
                .hasToString("|x|NULL");
        assertThat(builder.clear().length()).isZero();
    }
}
