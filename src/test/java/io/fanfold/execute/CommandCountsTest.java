package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.row.Row;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.Reply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CommandCountsTest {
    /** Creates counts from names and numbers in turn. */
    private static CommandCounts counts(String... status) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < status.length; i += 2) {
            PayloadWriter row = new PayloadWriter().lenencString(status[i]).lenencString(status[i + 1]);
            rows.add(Row.of(row.toBytes(), 2));
        }
        return CommandCounts.of(new Reply.Result(List.of(), rows, 0, 0)).orElseThrow();
    }

    @Test
    void commandsThatOnlyReadDoNotCount() {
        CommandCounts before =
                counts("Com_select", "7", "Com_show_status", "1", "Com_insert", "3", "Compression", "ON");
        CommandCounts now = counts("Com_select", "9", "Com_show_status", "2", "Com_insert", "3", "Compression", "OFF");
        assertThat(now).isEqualTo(before);
    }

    @Test
    void anyOtherCommandCounts() {
        CommandCounts before = counts("Com_insert", "3", "Com_new_in_this_server", "0");
        CommandCounts now = counts("Com_insert", "3", "Com_new_in_this_server", "1");
        assertThat(now).isNotEqualTo(before);
        assertThat(now.difference(before)).isEqualTo("new_in_this_server");
        assertThat(before.plus("new_in_this_server", 1)).isEqualTo(now);
    }

    @Test
    void aServerWithoutCommandCountsHasNone() {
        assertThat(CommandCounts.of(new Reply.Result(List.of(), List.of(), 0, 0)))
                .isEmpty();
        assertThat(CommandCounts.of(new Reply.Failed(1142, "42000", "denied"))).isEmpty();
    }

    @Test
    void aTransactionIsSplitOnWhileNothingHasChanged() {
        OpenTransaction transaction = new OpenTransaction();
        assertThat(transaction.maySplit()).isFalse();
        transaction.begun(counts("Com_insert", "3"), false);
        assertThat(transaction.maySplit()).isTrue();
        assertThat(transaction.changed(counts("Com_insert", "3"))).isEmpty();
        assertThat(transaction.changed(counts("Com_insert", "4"))).contains("insert");
        transaction.end();
        assertThat(transaction.maySplit()).isFalse();
    }

    @Test
    void aTransactionWithAReadViewNeedsSnapshots() {
        OpenTransaction transaction = new OpenTransaction();
        transaction.begun(counts("Com_insert", "3"), true);
        assertThat(transaction.maySplit()).isFalse();
    }
}
