package io.fanfold.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import org.junit.jupiter.api.Test;

class ColumnDefinitionTest {
    /** MariaDB's clients may ask for one field more. */
    @Test
    void hasTheFormThatWasNegotiated() throws ProtocolException {
        for (long capabilities : new long[] {0, Capability.MARIADB_EXTENDED_METADATA}) {
            byte[] payload = ColumnDefinition.of("é", ColumnType.VAR_STRING, capabilities);
            Column column = ServerPacket.column(payload, capabilities);
            assertThat(column.name()).isEqualTo("é");
            assertThat(column.type()).isEqualTo(ColumnType.VAR_STRING);
            assertThat(column.collationId()).isEqualTo(45);
            assertThat(column.length()).isEqualTo(1024);
        }
        assertThat(ColumnDefinition.of("a", ColumnType.VAR_STRING, Capability.MARIADB_EXTENDED_METADATA))
                .hasSize(ColumnDefinition.of("a", ColumnType.VAR_STRING, 0).length + 1);
    }

    @Test
    void numbersAreBinary() throws ProtocolException {
        for (ColumnType type : new ColumnType[] {ColumnType.LONGLONG, ColumnType.DOUBLE}) {
            Column column = ServerPacket.column(ColumnDefinition.of("n", type, 0), 0);
            assertThat(column.type()).isEqualTo(type);
            assertThat(column.collationId()).isEqualTo(63);
        }
    }
}
