package io.fanfold.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The extended type information in MariaDB's column definitions. */
class ExtendedMetadataTest {
    private static final int FORMAT = 1;

    private static byte[] definition(ColumnType type, byte[] extended) {
        PayloadWriter out = new PayloadWriter();
        for (String text : new String[] {"def", "db", "t", "t", "v", "v"}) {
            out.lenencString(text);
        }
        return out.lenencBytes(extended)
                .lenencInt(ServerPacket.FIXED_PART)
                .int2(45)
                .int4(36)
                .int1(type.code())
                .int2(0)
                .int1(0)
                .int2(0)
                .toBytes();
    }

    private static ColumnType read(byte[] definition) throws ProtocolException {
        return ServerPacket.column(definition, Capability.MARIADB_EXTENDED_METADATA)
                .type();
    }

    @ParameterizedTest
    @CsvSource({
        "STRING,uuid,UUID",
        "STRING,inet4,INET4",
        "STRING,INET6,INET6",
        "STRING,xmltype,UNKNOWN_NAMED",
        "BLOB,xmltype,UNKNOWN_NAMED",
        "GEOMETRY,point,GEOMETRY"
    })
    void aNamedDataTypeIsTheTrueOne(ColumnType announced, String name, ColumnType expected) throws Exception {
        byte[] extended = new PayloadWriter()
                .int1(FORMAT)
                .lenencString("text")
                .int1(ServerPacket.DATA_TYPE_NAME)
                .lenencString(name)
                .toBytes();
        assertThat(read(definition(announced, extended))).isEqualTo(expected);
    }

    @Test
    void aFieldOfATemporaryTableKeepsItsNamesAndTypeInformation() throws Exception {
        byte[] json = new PayloadWriter().int1(FORMAT).lenencString("json").toBytes();
        PayloadWriter out = new PayloadWriter();
        for (String text : new String[] {"def", "", "", "", "ключ", ""}) {
            out.lenencString(text);
        }
        byte[] computed = out.lenencBytes(json)
                .lenencInt(ServerPacket.FIXED_PART)
                .int2(45)
                .int4(36)
                .int1(ColumnType.LONG_BLOB.code())
                .int2(0)
                .int1(39)
                .int2(0)
                .toBytes();
        Column column = ServerPacket.column(computed, Capability.MARIADB_EXTENDED_METADATA);
        Column field = column.withOrgName("ключ")
                .withType(ColumnType.BLOB)
                .withLength(0xffff_ffffL)
                .withFlags(Column.Flags.BLOB)
                .withDecimals(0);
        byte[] redefined = ServerPacket.redefined(computed, field);
        assertThat(ServerPacket.column(redefined, Capability.MARIADB_EXTENDED_METADATA))
                .isEqualTo(field);
        assertThat(ServerPacket.redefined(computed, column)).isEqualTo(computed);
        assertThat(ServerPacket.sameType(computed, redefined)).isFalse();
        assertThat(ServerPacket.sameType(computed, ServerPacket.redefined(computed, column.withLength(7))))
                .isTrue();
        assertThat(ServerPacket.sameType(
                        computed, ServerPacket.redefined(computed, column.withFlags(Column.Flags.UNSIGNED))))
                .isFalse();
    }

    @Test
    void aFormatNamesNoType() throws Exception {
        byte[] json = new PayloadWriter().int1(FORMAT).lenencString("json").toBytes();
        assertThat(read(definition(ColumnType.BLOB, json))).isEqualTo(ColumnType.BLOB);
        assertThat(read(definition(ColumnType.STRING, new byte[0]))).isEqualTo(ColumnType.STRING);
    }

    @Test
    void anIncompleteNameIsRefused() {
        byte[] cut = {ServerPacket.DATA_TYPE_NAME, 5, 'i', 'n'};
        assertThatThrownBy(() -> read(definition(ColumnType.STRING, cut))).isInstanceOf(ProtocolException.class);
    }
}
