package io.fanfold.fuzz;

import static io.fanfold.fuzz.SoundnessTest.COUNT;
import static io.fanfold.fuzz.SoundnessTest.G;
import static io.fanfold.fuzz.SoundnessTest.ID;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.wire.ServerFlavor;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShrinkerTest {
    private static final int ENOUGH = 5000;

    private final StatementGenerator generator = new StatementGenerator(9, 20, false, ServerFlavor.MYSQL);

    @Test
    void dropsAllThatTheDifferenceDoesNotNeed() throws Exception {
        Expr sum = SoundnessTest.call(
                Expr.Role.AGGREGATE,
                Family.DEC,
                "SUM({int})",
                SoundnessTest.call(Expr.Role.FUNCTION, Family.INT, "ABS({int})", ID));
        Query query = SoundnessTest.query(List.of(G, COUNT, sum), List.of(G), List.of(G, COUNT))
                .withDistinct(true)
                .withHaving(List.of(SoundnessTest.call(Expr.Role.COMPARISON, Family.BOOL, "({int} > 3)", COUNT)))
                .withLimit(new Limit(5, 2, false));
        Statement small = new Shrinker(statement -> statement.sql().contains("SUM("), ENOUGH).shrink(query);
        assertThat(small.sql()).isEqualTo("SELECT SUM(id) FROM t");
    }

    @Test
    void everyGeneratedStatementShrinksToOneThatStillDiffers() throws Exception {
        for (int number = 1; number <= 300; number++) {
            Statement statement = generator.statement(number).statement();
            Statement small = new Shrinker(one -> one.sql().contains("FROM"), ENOUGH).shrink(statement);
            assertThat(small.sql()).contains("FROM");
            assertThat(small.expectation().sound()).isTrue();
            assertThat(small.sql().length()).isLessThanOrEqualTo(statement.sql().length());
        }
    }

    @Test
    void keepsAStatementThatCannotBeSmaller() throws Exception {
        Statement statement = generator.statement(5).statement();
        String sql = statement.sql();
        assertThat(new Shrinker(one -> one.sql().equals(sql), ENOUGH)
                        .shrink(statement)
                        .sql())
                .isEqualTo(sql);
    }

    @Test
    void triesNoMoreThanItMay() throws Exception {
        int[] tries = {0};
        new Shrinker(
                        statement -> {
                            tries[0]++;
                            return true;
                        },
                        3)
                .shrink(generator.statement(1).statement());
        assertThat(tries[0]).isBetween(1, 3);
    }
}
