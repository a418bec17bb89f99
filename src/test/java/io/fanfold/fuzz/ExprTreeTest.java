package io.fanfold.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.RefusedException;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectReader;
import io.fanfold.sql.SqlDialect;
import io.fanfold.sql.StatementModel;
import io.fanfold.sql.TextRange;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The tree of an expression knows what its lists know. */
class ExprTreeTest {
    private static final int GENERATED = 3000;
    private static final ScheduledExecutorService WATCHDOG = Executors.newSingleThreadScheduledExecutor();
    private static final SelectReader READER = new SelectReader(WATCHDOG);

    @AfterAll
    static void stop() {
        WATCHDOG.shutdownNow();
    }

    private static Stream<String> lines(String resource) {
        try (InputStream in = ExprTreeTest.class.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .flatMap(line ->
                            Stream.of(line, line.substring(line.indexOf(" | ") < 0 ? 0 : line.indexOf(" | ") + 3)))
                    .map(line -> line.replace("mariadb: ", "").replaceFirst(" \\| .*|;$", ""));
        } catch (IOException e) {
            throw new AssertionError(resource, e);
        }
    }

    @Test
    void treesOfTheCorporaAreTheLists() {
        int read = Stream.of(
                        "/sql/acceptances.txt",
                        "/sql/misreadings.txt",
                        "/sql/refusals.txt",
                        "/plan/golden.txt",
                        "/it/split-fans-out.sql",
                        "/it/split-fans-out-mysql.sql",
                        "/it/split-fans-out-mariadb.sql",
                        "/it/split-one-server.sql",
                        "/it/split-passes.sql")
                .flatMap(ExprTreeTest::lines)
                .distinct()
                .mapToInt(sql -> compare(sql, ServerFlavor.MYSQL) + compare(sql, ServerFlavor.MARIADB))
                .sum();
        assertThat(read).isGreaterThan(2000);
    }

    @Test
    void treesOfGeneratedStatementsAreTheLists() {
        for (ServerFlavor flavor : List.of(ServerFlavor.MYSQL, ServerFlavor.MARIADB)) {
            StatementGenerator generator = new StatementGenerator(17, 20, flavor);
            int read = LongStream.rangeClosed(1, GENERATED)
                    .mapToInt(number -> compare(generator.statement(number).sql(), flavor))
                    .sum();
            assertThat(read).isGreaterThan(GENERATED / 2);
        }
    }

    private static int compare(String sql, ServerFlavor flavor) {
        StatementModel statement;
        try {
            statement = READER.read(sql, new SqlDialect(flavor, false, false, StandardCharsets.UTF_8));
        } catch (RefusedException e) {
            return 0;
        }
        statement.select().ifPresent(ExprTreeTest::compare);
        statement.parts().forEach(part -> compare(part.block()));
        return 1;
    }

    private static void compare(SelectModel model) {
        List<SelectModel.Expr> expressions = new ArrayList<>();
        model.items().forEach(item -> expressions.add(item.expr()));
        model.where().ifPresent(expressions::add);
        expressions.addAll(model.groupBy());
        model.having().ifPresent(expressions::add);
        model.orderBy().forEach(item -> expressions.add(item.expr()));
        expressions.forEach(expr -> compare(model.sql(), expr));
    }

    private static void compare(String sql, SelectModel.Expr flat) {
        io.fanfold.sql.Expr tree = flat.tree();
        assertThat(tree.outer()).as(sql).isEqualTo(flat.span());
        assertThat(tree.tokens()).as(sql).isEqualTo(flat.tokens());
        assertThat(tree.kind().name()).as(sql + flat).isEqualTo(flat.kind().name());
        assertThat(tree.columns().stream()
                        .map(column -> List.of(column.span(), "" + column.qualifier(), column.name())))
                .as(sql)
                .isEqualTo(flat.columns().stream()
                        .map(column -> List.of(column.span(), "" + column.qualifier(), column.name()))
                        .toList());
        assertThat(tree.aggregates().stream()
                        .map(call -> new SelectModel.AggregateCall(
                                call.span(),
                                call.function(),
                                call.distinct(),
                                outer(call.arguments()),
                                call.argumentTokens(),
                                call.sortedBy(),
                                tree.enclosing(call))))
                .as(sql)
                .isEqualTo(flat.aggregates());
        assertThat(tree.windows().stream()
                        .map(call -> new SelectModel.WindowCall(call.span(), call.function(), outer(call.arguments()))))
                .as(sql)
                .isEqualTo(flat.windows());
    }

    private static List<TextRange> outer(List<io.fanfold.sql.Expr> exprs) {
        return exprs.stream().map(io.fanfold.sql.Expr::outer).toList();
    }
}
