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
            byte[] payload = ColumnDefinition.text("é", capabilities);
            Column column = ServerPacket.column(payload, capabilities);
            assertThat(column.name()).isEqualTo("é");
            assertThat(column.type()).isEqualTo(ColumnType.VAR_STRING);
            assertThat(column.collationId()).isEqualTo(45);
            assertThat(column.length()).isEqualTo(1024);
        }
        assertThat(ColumnDefinition.text("a", Capability.MARIADB_EXTENDED_METADATA))
                .hasSize(ColumnDefinition.text("a", 0).length + 1);
    }
}
