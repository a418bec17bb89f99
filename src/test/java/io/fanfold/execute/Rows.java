package io.fanfold.execute;

import io.fanfold.operator.MergedRows;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows and columns of text. */
final class Rows {
    private Rows() {}

    /** Returns a row of texts. The text NULL means NULL. */
    static Row row(String... texts) {
        List<byte[]> values = new ArrayList<>();
        for (String text : texts) {
            values.add(text.equals("NULL") ? null : text.getBytes(StandardCharsets.UTF_8));
        }
        return Row.ofValues(values);
    }

    static Row bytes(byte[] value) {
        return Row.ofValues(List.of(value));
    }

    static List<Column> columns(String... names) {
        return Arrays.stream(names)
                .map(name -> new Column("", "", "", name, "", 45, 80, ColumnType.VAR_STRING, 0, 0))
                .toList();
    }

    static Reply.Result reply(List<Column> columns, Row... rows) {
        return new Reply.Result(columns, List.of(rows), 0, 0);
    }

    /** Returns merged rows. */
    static MergedRows folded(Row... rows) {
        return new MergedRows() {
            private int at;

            @Override
            public @Nullable Row next() {
                return at == rows.length ? null : rows[at++];
            }

            @Override
            public long rows() {
                return rows.length;
            }

            @Override
            public void close() {
                at = rows.length;
            }
        };
    }
}
