package io.fanfold.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
