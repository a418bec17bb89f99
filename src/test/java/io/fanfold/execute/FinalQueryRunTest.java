package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.execute.ClientConnection.Command;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.operator.MergedRows;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.FanOutPlan.Completion;
import io.fanfold.plan.KeyFilters;
import io.fanfold.plan.MergeNode;
import io.fanfold.plan.StatementPlan;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FinalQueryRunTest {
    private static final Completion QUERY = new Completion.FinalQuery(
            List.of(new ColumnEncoding.TextEncoding("utf8mb4", "utf8mb4_bin")), "SELECT ff.c0, 'é' FROM ", "");

    private static FanOutPlan block(Completion finish) {
        return new FanOutPlan(
                "",
                List.of(new FanOutPlan.TablePartitions(Map.of(), "")),
                new FanOutPlan.Tail("", "", "`t`"),
                new MergeNode.Aggregate(List.of(), List.of(), true, false),
                finish,
                KeyFilters.NONE);
    }

    private static StatementPlan plan(Completion finish) {
        return new StatementPlan(List.of(block(finish)), List.of("", ""), false);
    }

    private static List<String> finish(Completion finish, MergedRows rows, int columns, FakePort port, int maxRows)
            throws Exception {
        List<String> texts = new ArrayList<>();
        for (byte[] payload : FinalQueryRun.finish(
                plan(finish), List.of(rows), columns, StandardCharsets.ISO_8859_1, port, bounds(maxRows))) {
            texts.add(Row.of(payload, columns).toString());
        }
        return texts;
    }

    private static FinalQueryRun.FinalQueryLimits bounds(int rows) {
        return new FinalQueryRun.FinalQueryLimits(rows, 1 << 20, true, MemoryBudget.ofProcess(1 << 20));
    }

    private static FakePort replying(Reply reply) {
        return new FakePort(command -> reply);
    }

    private static FakePort silent() {
        return new FakePort(command -> {
            throw new AssertionError("nothing is to be asked");
        });
    }

    private static void refuses(Reason reason, Reply reply) {
        assertThatThrownBy(() -> finish(QUERY, Rows.folded(Rows.row("x")), 2, replying(reply), 10))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }

    @Test
    void directTakesColumnsInTheirOrder() throws Exception {
        assertThat(finish(
                        new Completion.Direct(List.of(2, 0, 2)),
                        Rows.folded(Rows.row("a", "b", "c"), Rows.row("d", "e", "NULL")),
                        3,
                        silent(),
                        0))
                .containsExactly("c|a|c", "NULL|d|NULL");
    }

    @Test
    void asIsHandsOnTheSameBytes() throws Exception {
        Row row = Rows.row("a", "b");
        Iterator<byte[]> payloads = FinalQueryRun.finish(
                        plan(new Completion.AsIs()),
                        List.of(Rows.folded(row)),
                        2,
                        StandardCharsets.UTF_8,
                        silent(),
                        bounds(0))
                .iterator();
        assertThat(payloads.next()).isSameAs(row.payload());
        assertThat(payloads.hasNext()).isFalse();
        assertThatThrownBy(payloads::next).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void aQueryIsTheServersWorkInTheSessionsCharacterSet() throws Exception {
        FakePort port = replying(Rows.reply(Rows.columns("a", "b"), Rows.row("1", "2"), Rows.row("3", "NULL")));
        assertThat(finish(QUERY, Rows.folded(Rows.row("x"), Rows.row("y")), 2, port, 2))
                .containsExactly("1|2", "3|NULL");
        assertThat(port.asked()).hasSize(1);
        byte[] sql = ((Command.ClientQuery) port.asked().get(0)).bytes();
        assertThat(new String(sql, StandardCharsets.ISO_8859_1))
                .startsWith("SELECT ff.c0, 'é' FROM JSON_TABLE(_utf8mb4 x'5b5b2278225d2c5b2279225d5d', ");
    }

    private static Completion portioned(long offset, long count) {
        return new Completion.FinalQuery(
                List.of(new ColumnEncoding.TextEncoding("utf8mb4", "utf8mb4_bin")),
                "SELECT ff.c0 FROM ",
                "",
                Optional.of(new FanOutPlan.Portions(offset, count)));
    }

    @Test
    void portionsAreAskedForOneAfterTheOther() throws Exception {
        Row[] rows = {Rows.row("a"), Rows.row("b"), Rows.row("c"), Rows.row("d"), Rows.row("e")};
        FakePort port = replying(Rows.reply(Rows.columns("a"), Rows.row("x"), Rows.row("y")));
        assertThat(finish(portioned(0, Long.MAX_VALUE), Rows.folded(rows), 1, port, 2))
                .containsExactly("x", "y", "x", "y", "x", "y");
        assertThat(port.asked()).hasSize(3);
        assertThat(new String(port.asked().get(2).bytes(), StandardCharsets.ISO_8859_1))
                .contains("x'5b5b2265225d5d'");
        FakePort few = replying(Rows.reply(Rows.columns("a"), Rows.row("x"), Rows.row("y")));
        assertThat(finish(portioned(1, 2), Rows.folded(rows), 1, few, 2)).containsExactly("y", "x");
        assertThat(few.asked()).as("as many as are wanted").hasSize(2);
        assertThat(finish(portioned(0, 5), Rows.folded(), 1, silent(), 2)).isEmpty();
    }

    @Test
    void portionsHaveABoundOfBytes() throws Exception {
        FakePort port = replying(Rows.reply(Rows.columns("a"), Rows.row("x")));
        FinalQueryRun.FinalQueryLimits bounds =
                new FinalQueryRun.FinalQueryLimits(1000, 150, true, MemoryBudget.ofProcess(1 << 20));
        assertThat(FinalQueryRun.finish(
                        plan(portioned(0, Long.MAX_VALUE)),
                        List.of(Rows.folded(
                                Rows.row("a".repeat(50)), Rows.row("b"), Rows.row("c".repeat(60)), Rows.row("d"))),
                        1,
                        StandardCharsets.UTF_8,
                        port,
                        bounds))
                .hasSize(3);
    }

    @Test
    void severalBlocksAreSentInOneQuery() throws Exception {
        StatementPlan plan = new StatementPlan(
                List.of(block(QUERY), block(QUERY)), List.of("(", ") UNION ALL (", ") ORDER BY 1"), false);
        FakePort port = replying(Rows.reply(Rows.columns("a", "b"), Rows.row("1", "2")));
        List<MergedRows> rows = List.of(Rows.folded(Rows.row("x")), Rows.folded(Rows.row("y"), Rows.row("z")));
        assertThat(FinalQueryRun.finish(plan, rows, 2, StandardCharsets.UTF_8, port, bounds(3)))
                .hasSize(1);
        byte[] sql = ((Command.ClientQuery) port.asked().get(0)).bytes();
        assertThat(new String(sql, StandardCharsets.UTF_8))
                .startsWith("(SELECT ff.c0, 'é' FROM JSON_TABLE(_utf8mb4 x'5b5b2278225d5d', ")
                .contains(
                        "AS ff) UNION ALL (SELECT ff.c0, 'é' FROM JSON_TABLE(_utf8mb4 x'5b5b2279225d2c5b227a225d5d', ")
                .endsWith("AS ff) ORDER BY 1");
        assertThatThrownBy(() -> FinalQueryRun.statement(
                        plan,
                        List.of(Rows.folded(Rows.row("x")), Rows.folded(Rows.row("y"), Rows.row("z"))),
                        StandardCharsets.UTF_8,
                        bounds(2)))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.FINAL_QUERY_FAILED));
    }

    @Test
    void tooManyRowsAreNotSent() {
        assertThatThrownBy(() -> finish(QUERY, Rows.folded(Rows.row("x"), Rows.row("y")), 2, silent(), 1))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.FINAL_QUERY_FAILED));
    }

    @Test
    void valuesThatCannotTravelAreNotSent() {
        assertThatThrownBy(() -> finish(QUERY, Rows.folded(Rows.bytes(new byte[] {-1})), 2, silent(), 10))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.VALUE));
    }

    @Test
    void repliesWithoutAResultAreRefused() {
        refuses(Reason.FINAL_QUERY_FAILED, new Reply.Failed(3669, "22001", "too long"));
        refuses(Reason.MEMORY, new Reply.TooLarge(1L << 30));
        refuses(Reason.FINAL_QUERY_FAILED, new Reply.Completed(0, 0));
        refuses(Reason.FINAL_QUERY_FAILED, Rows.reply(Rows.columns("a"), Rows.row("1")));
        refuses(Reason.WARNINGS, new Reply.Result(Rows.columns("a", "b"), List.of(Rows.row("1", "2")), 1, 0));
    }

    @Test
    void aConnectionThatEndedIsPassedThrough() {
        FakePort port = new FakePort(command -> {
            throw new UncheckedIOException(new java.io.IOException("cut"));
        });
        assertThatThrownBy(() -> finish(QUERY, Rows.folded(Rows.row("x")), 2, port, 10))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CLIENT_LOST));
    }
}
