package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import org.junit.jupiter.api.Test;

/** DefinitionsIT compares with the definitions that servers send. */
class TemporaryTableColumnTest {
    private static final int BINARY = Column.Flags.BINARY;
    private static final int BLOB = Column.Flags.BLOB;

    @Test
    void mySqlNamesFieldsByTheirAlias() {
        Column number = TemporaryTableColumn.ofMySql(column(ColumnType.LONGLONG, 63, 4, BINARY, 0), ColumnType.LONG);
        assertThat(number).isEqualTo(column(ColumnType.LONG, 63, 4, 0, 0).withOrgName("k"));
        Column text = TemporaryTableColumn.ofMySql(column(ColumnType.STRING, 45, 40, 0, 31), ColumnType.LONG);
        assertThat(text).isEqualTo(column(ColumnType.VAR_STRING, 45, 40, 0, 0).withOrgName("k"));
    }

    @Test
    void computedNumbersOfMySqlThatFloatAreSigned() {
        Column remainder = column(ColumnType.DOUBLE, 63, 23, BINARY | Column.Flags.UNSIGNED, 31);
        assertThat(TemporaryTableColumn.ofMySql(remainder, ColumnType.LONG))
                .isEqualTo(column(ColumnType.DOUBLE, 63, 23, 0, 31).withOrgName("k"));
    }

    @Test
    void longTextsAndDocumentsAreBlobs() {
        Column text = column(ColumnType.MEDIUM_BLOB, 45, 262140, 0, 31);
        assertThat(TemporaryTableColumn.ofMySql(text, ColumnType.LONG).withOrgName(""))
                .isEqualTo(column(ColumnType.BLOB, 45, 262140, BLOB, 0));
        assertThat(TemporaryTableColumn.ofMariaDb(text, false, 4))
                .isEqualTo(column(ColumnType.BLOB, 45, 67108860, BLOB, 0));
        assertThat(TemporaryTableColumn.ofMariaDb(text, false, 1).length()).isEqualTo(16777215);
        Column document = column(ColumnType.JSON, 255, 4294967292L, BINARY, 31);
        assertThat(TemporaryTableColumn.ofMySql(document, ColumnType.LONG).withOrgName(""))
                .isEqualTo(column(ColumnType.JSON, 63, 4294967295L, BINARY | BLOB, 0));
    }

    @Test
    void negatedDecimalsOfMariaDbLoseTheSecondSign() {
        Column decimal = column(ColumnType.NEWDECIMAL, 63, 13, BINARY, 2);
        assertThat(TemporaryTableColumn.ofMariaDb(decimal, true, 1).length()).isEqualTo(12);
        assertThat(TemporaryTableColumn.ofMariaDb(decimal, false, 1).length()).isEqualTo(13);
    }

    @Test
    void aColumnLosesTheFlagsOfItsIndexes() {
        Column indexed = column(ColumnType.LONG, 63, 11, Column.Flags.KEY_FLAGS | Column.Flags.NOT_NULL, 0);
        assertThat(TemporaryTableColumn.ofColumn(indexed).flags()).isEqualTo(Column.Flags.NOT_NULL);
    }

    @Test
    void datesAreBinaryWithTheLengthOfTheirText() {
        assertThat(TemporaryTableColumn.temporal(column(ColumnType.DATE, 45, 40, 0, 0)))
                .isEqualTo(column(ColumnType.DATE, 63, 10, BINARY, 0));
        assertThat(TemporaryTableColumn.temporal(column(ColumnType.DATETIME, 8, 26, 0, 6)))
                .isEqualTo(column(ColumnType.DATETIME, 63, 26, BINARY, 6));
        Column done = column(ColumnType.TIMESTAMP, 63, 19, 0, 0);
        assertThat(TemporaryTableColumn.temporal(done)).isSameAs(done);
        Column text = column(ColumnType.VAR_STRING, 45, 40, 0, 0);
        assertThat(TemporaryTableColumn.temporal(text)).isSameAs(text);
    }

    private static Column column(ColumnType type, int collation, long length, int flags, int decimals) {
        return new Column("", "", "", "k", "", collation, length, type, flags, decimals);
    }
}
