package io.fanfold.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.row.ColumnType;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExecuteCommandTest {
    private static final byte[] NONE = {};

    private static byte[] hex(String... parts) {
        return HexFormat.of().parseHex(String.join("", parts));
    }

    /** Reads the value of a statement with one parameter. */
    private static BoundValue value(String type, String bytes) throws ProtocolException {
        byte[] payload = hex("17 01000000 00 01000000 00 01".replace(" ", ""), type, bytes);
        return ExecuteCommand.decode(payload, 1, 0, NONE).read().get(0);
    }

    @Test
    void everyTypeIsRead() throws ProtocolException {
        assertThat(value("0100", "ff")).isEqualTo(new BoundValue.IntegerValue(-1, false));
        assertThat(value("0180", "ff")).isEqualTo(new BoundValue.IntegerValue(255, true));
        assertThat(value("0200", "feff")).isEqualTo(new BoundValue.IntegerValue(-2, false));
        assertThat(value("0280", "feff")).isEqualTo(new BoundValue.IntegerValue(65534, true));
        assertThat(value("0300", "ffffffff")).isEqualTo(new BoundValue.IntegerValue(-1, false));
        assertThat(value("0380", "ffffffff")).isEqualTo(new BoundValue.IntegerValue(4294967295L, true));
        assertThat(value("0800", "ffffffffffffffff")).isEqualTo(new BoundValue.IntegerValue(-1, false));
        assertThat(((BoundValue.IntegerValue) value("0880", "ffffffffffffffff")).digits())
                .isEqualTo("18446744073709551615");
        assertThat(value("0400", "0000c03f")).isEqualTo(new BoundValue.DoubleValue(1.5, true));
        assertThat(value("0500", "000000000000f83f")).isEqualTo(new BoundValue.DoubleValue(1.5, false));
        assertThat(value("0000", "03312e35")).isEqualTo(new BoundValue.DecimalValue("1.5"));
        assertThat(value("f600", "03312e35")).isEqualTo(new BoundValue.DecimalValue("1.5"));
        assertThat(value("0a00", "04ea070b16"))
                .isEqualTo(new BoundValue.TimestampValue(ColumnType.DATE, 2026, 11, 22, 0, 0, 0, 0));
        assertThat(value("0c00", "07ea070b16010203"))
                .isEqualTo(new BoundValue.TimestampValue(ColumnType.DATETIME, 2026, 11, 22, 1, 2, 3, 0));
        assertThat(value("0700", "0bea070b1601020340420f00"))
                .isEqualTo(new BoundValue.TimestampValue(ColumnType.TIMESTAMP, 2026, 11, 22, 1, 2, 3, 1_000_000));
        assertThat(value("0c00", "00"))
                .isEqualTo(new BoundValue.TimestampValue(ColumnType.DATETIME, 0, 0, 0, 0, 0, 0, 0));
        assertThat(value("0b00", "00")).isEqualTo(new BoundValue.TimeValue(false, 0, 0, 0, 0, 0));
        assertThat(value("0b00", "080122000000163b3b")).isEqualTo(new BoundValue.TimeValue(true, 34, 22, 59, 59, 0));
        assertThat(value("0b00", "0c00000000000a0b0c01000000"))
                .isEqualTo(new BoundValue.TimeValue(false, 0, 10, 11, 12, 1));
        for (String type : List.of("0f", "fd", "fe", "f9", "fa", "fb", "fc")) {
            BoundValue.BytesValue bytes = (BoundValue.BytesValue) value(type + "00", "020061");
            assertThat(bytes.bytes()).containsExactly(0, 'a');
            assertThat(bytes.type().code()).isEqualTo(Integer.parseInt(type, 16));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0100",
                "0300ffffff",
                "0800ff",
                "050000",
                "0a0003ea070b",
                "0a0004ea07",
                "0a0007ea070b16010203",
                "0d80ea07",
                "0980ffffffff",
                "030105000000",
                "0600",
                "f7000161",
                "f8000161",
                "10000161",
                "f5000161",
                "ff000161",
                "0c0005ea070b1601",
                "0b0007",
                "0b00080122",
                "fd00020a",
                "fd00fdffffff",
                "fd00fb",
                "fd00feffffffffffffffff",
                "0300ffffffff00",
                "0e00",
                "c80001"
            })
    void damagedValuesAreRefused(String parameter) {
        assertThatThrownBy(() -> value(parameter.substring(0, 4), parameter.substring(4)))
                .isInstanceOf(ProtocolException.class);
    }

    @Test
    void nullsAreBitsAndHaveNoBytes() throws ProtocolException {
        byte[] types = new byte[18];
        Arrays.fill(types, (byte) 0);
        for (int i = 0; i < 18; i += 2) {
            types[i] = 1;
        }
        byte[] payload = hex("17010000000001000000", "fe00", "00", "0505");
        List<BoundValue> values = ExecuteCommand.decode(payload, 9, 0, types).read();
        assertThat(values.get(0)).isEqualTo(new BoundValue.IntegerValue(5, false));
        assertThat(values.subList(1, 8)).containsOnly(new BoundValue.NullValue(ColumnType.TINY));
        assertThat(values.get(8)).isEqualTo(new BoundValue.IntegerValue(5, false));
        byte[] ninth = hex("17010000000001000000", "fe01", "00", "05");
        assertThat(ExecuteCommand.decode(ninth, 9, 0, types).read().subList(1, 9))
                .containsOnly(new BoundValue.NullValue(ColumnType.TINY));
    }

    @Test
    void typesOfTheExecutionBeforeHold() throws ProtocolException {
        byte[] payload = hex("17010000000001000000", "00", "00", "05000000");
        ExecuteCommand command = ExecuteCommand.decode(payload, 1, 0, hex("0300"));
        assertThat(command.bringsTypes()).isFalse();
        assertThat(command.read()).containsExactly(new BoundValue.IntegerValue(5, false));
        assertThat(command.withTypes()).isEqualTo(hex("17010000000001000000", "00", "01", "0300", "05000000"));
        ExecuteCommand unknown = ExecuteCommand.decode(payload, 1, 0, NONE);
        assertThat(unknown.withTypes()).isEqualTo(payload);
        assertThatThrownBy(unknown::read).isInstanceOf(ProtocolException.class);
    }

    @Test
    void parametersMayHaveNames() throws ProtocolException {
        long named = Capability.QUERY_ATTRIBUTES;
        byte[] payload = hex("17010000000801000000", "01", "00", "01", "0300", "0161", "05000000");
        ExecuteCommand command = ExecuteCommand.decode(payload, 1, named, NONE);
        assertThat(command.read()).containsExactly(new BoundValue.IntegerValue(5, false));
        byte[] again = hex("17010000000801000000", "01", "00", "00", "05000000");
        assertThat(ExecuteCommand.decode(again, 1, named, command.types()).withTypes())
                .isEqualTo(hex("17010000000801000000", "01", "00", "01", "0300", "00", "05000000"));
    }

    @Test
    void attributesFollowTheParameters() throws ProtocolException {
        long named = Capability.QUERY_ATTRIBUTES;
        String types = "0300" + "00" + "fd00" + "0161" + "0800" + "0162";
        byte[] payload = hex("17010000000801000000", "03", "04", "01", types, "05000000", "03414243");
        ExecuteCommand command = ExecuteCommand.decode(payload, 1, named, NONE);
        assertThat(command.types()).isEqualTo(hex("0300"));
        assertThat(command.attributes()).isEqualTo(2);
        assertThat(command.read()).containsExactly(new BoundValue.IntegerValue(5, false));
        assertThat(command.withTypes()).isEqualTo(payload);
        byte[] alone = hex("17010000000801000000", "01", "00", "01", "fd00", "0161", "03414243");
        assertThat(ExecuteCommand.decode(alone, 0, named, NONE).read()).isEmpty();
        byte[] cutOff = hex("17010000000801000000", "01", "00", "01", "fd00", "0161", "034142");
        assertThatThrownBy(() -> ExecuteCommand.decode(cutOff, 0, named, NONE).read())
                .isInstanceOf(ProtocolException.class);
    }

    @Test
    void valuesThatWereSentBeforeArePutIn() throws ProtocolException {
        String types = "fd00" + "0300" + "fc00" + "fd00";
        byte[] payload = hex("17010000000001000000", "08", "01", types, "05000000");
        ExecuteCommand command = ExecuteCommand.decode(payload, 4, 0, NONE);
        Map<Integer, byte[]> sent = Map.of(0, hex("6162"), 2, NONE);
        ExecuteCommand whole = command.withLongData(sent);
        assertThat(whole.payload())
                .isEqualTo(hex("17010000000001000000", "08", "01", types, "026162", "05000000", "00"));
        List<BoundValue> values = whole.read();
        assertThat(((BoundValue.BytesValue) values.get(0)).bytes()).isEqualTo(hex("6162"));
        assertThat(values.get(1)).isEqualTo(new BoundValue.IntegerValue(5, false));
        assertThat(((BoundValue.BytesValue) values.get(2)).bytes()).isEmpty();
        assertThat(values.get(3)).isInstanceOf(BoundValue.NullValue.class);
        assertThat(command.withLongData(Map.of())).isSameAs(command);
        for (int elsewhere : new int[] {1, 3, 4, 65535}) {
            assertThatThrownBy(() -> command.withLongData(Map.of(elsewhere, NONE)))
                    .as("number, NULL, none: %d", elsewhere)
                    .isInstanceOf(ProtocolException.class);
        }
        ExecuteCommand untyped = ExecuteCommand.decode(hex("17010000000001000000", "00", "00"), 1, 0, NONE);
        assertThatThrownBy(() -> untyped.withLongData(Map.of(0, NONE))).isInstanceOf(ProtocolException.class);
    }

    @Test
    void malformedExecutionsAreRefused() {
        long named = Capability.QUERY_ATTRIBUTES;
        assertRefused(hex("17010000000802000000"), 0, named);
        // attributes without types, fewer parameters than the statement has, and an endless count
        assertRefused(hex("17010000000801000000", "02", "00", "00", "05000000", "0161"), 1, named);
        assertRefused(hex("17010000000801000000", "01", "00", "01", "0300", "00", "05000000"), 2, named);
        assertRefused(hex("17010000000801000000", "feffffffffffffffff", "00", "00"), 1, named);
        assertRefused(hex("17010000001001000000"), 0, 0);
        assertRefused(hex("17010000000801000000", "00"), 0, 0);
        assertRefused(hex("17010000000801000000", "02", "00", "00"), 1, named);
        assertRefused(hex("17010000000001000000", "00", "00"), 1, named);
        assertRefused(hex("17010000000001000000", "00", "02", "0300", "05000000"), 1, 0);
        assertRefused(hex("17010000000001000000", "00"), 1, 0);
        assertRefused(hex("170100000000010000"), 0, 0);
    }

    private static void assertRefused(byte[] payload, int parameters, long capabilities) {
        assertThatThrownBy(() -> ExecuteCommand.decode(payload, parameters, capabilities, NONE))
                .isInstanceOf(ProtocolException.class);
    }

    @Test
    void cursorIsAFlag() throws ProtocolException {
        assertThat(ExecuteCommand.decode(hex("17010000000101000000"), 0, 0, NONE)
                        .cursor())
                .isTrue();
        assertThat(ExecuteCommand.decode(hex("17010000000001000000"), 0, 0, NONE)
                        .cursor())
                .isFalse();
    }
}
