package io.fanfold.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.wire.ServerFlavor;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class StatementGeneratorTest {
    private static final int MANY = 3000;

    @Test
    void oneSeedMakesTheSameStatementsInAnyOrder() {
        StatementGenerator first = new StatementGenerator(7, 20, false, ServerFlavor.MARIADB);
        StatementGenerator second = new StatementGenerator(7, 20, false, ServerFlavor.MARIADB);
        List<String> forwards = LongStream.rangeClosed(1, 200)
                .mapToObj(n -> first.statement(n).sql())
                .toList();
        for (int number = 200; number >= 1; number--) {
            assertThat(second.statement(number).sql()).isEqualTo(forwards.get(number - 1));
        }
    }

    @Test
    void otherSeedsAndNumbersMakeOtherStatements() {
        Set<String> seen = new HashSet<>();
        for (long seed = 1; seed <= 5; seed++) {
            StatementGenerator generator = new StatementGenerator(seed, 20, false, ServerFlavor.MYSQL);
            for (int number = 1; number <= 100; number++) {
                seen.add(generator.statement(number).sql());
            }
        }
        assertThat(seen).hasSizeGreaterThan(490);
    }

    @Test
    void everyStatementCanBeCompared() {
        StatementGenerator generator = new StatementGenerator(3, 20, false, ServerFlavor.MYSQL);
        for (int number = 1; number <= MANY; number++) {
            StatementGenerator.Generated generated = generator.statement(number);
            assertThat(generated.statement().expectation().sound())
                    .as(generated.sql())
                    .isTrue();
        }
    }

    @Test
    void manyStatementsUseTheWholeLanguage() {
        StatementGenerator generator = new StatementGenerator(4, 20, false, ServerFlavor.MARIADB);
        StringBuilder all = new StringBuilder();
        for (int number = 1; number <= MANY; number++) {
            all.append(generator.statement(number).statement().sql()).append('\n');
        }
        assertThat(all)
                .contains(
                        "COUNT(DISTINCT ",
                        "SUM(DISTINCT ",
                        "BIT_XOR(",
                        " HAVING ",
                        " WITH ROLLUP",
                        " UNION ALL ",
                        "WITH cte AS",
                        " OVER (",
                        " EXISTS (",
                        " LEFT JOIN ",
                        " RIGHT JOIN ",
                        "STRAIGHT_JOIN",
                        "SELECT * ",
                        " OFFSET ",
                        "/*+ PARALLEL(",
                        "CASE WHEN ",
                        " IS NULL",
                        " REGEXP ",
                        "`t odd-name`",
                        "SELECT DISTINCT ");
        for (FuzzTable table : generator.schema().partitionedTables()) {
            assertThat(all).contains("FROM " + table.name());
        }
        for (FuzzColumn column : new FuzzColumns(ServerFlavor.MARIADB).all()) {
            assertThat(all).contains(column.name());
        }
    }

    @Test
    void starJoinsHaveDimensionsOfEveryKind() {
        StatementGenerator generator = new StatementGenerator(6, 100, false, ServerFlavor.MYSQL);
        StringBuilder all = new StringBuilder();
        int stars = 0;
        for (int number = 1; number <= MANY; number++) {
            StatementGenerator.Generated generated = generator.statement(number);
            stars += generated.starJoin() ? 1 : 0;
            all.append(generated.statement().sql()).append('\n');
        }
        assertThat(stars).isGreaterThan(MANY * 9 / 10);
        assertThat(all)
                .contains(
                        " JOIN star b1 ON ",
                        " LEFT JOIN star_key b",
                        " RIGHT JOIN t_",
                        "STRAIGHT_JOIN star_day b",
                        " JOIN flake b1f ON ",
                        " LEFT JOIN flake b2f ON ",
                        ", star_key b1",
                        " u_base b3",
                        " <=> ",
                        " IN (SELECT sub.",
                        " NOT IN (SELECT sub.",
                        " IS TRUE");
        for (FuzzTable table : new StarTables("").tables()) {
            for (FuzzColumn column : table.columns()) {
                assertThat(all).contains(column.name());
            }
        }
        // the same dimension twice, the table with itself, an equality beside OR
        assertThat(all).containsPattern("star_key b1[^\n]* star_key b2");
        assertThat(all).containsPattern("FROM (t_[a-z]+) a JOIN \\1 b1 ON ");
        assertThat(all).containsPattern("\\((a\\.\\w+ = b1\\.\\w+|b1\\.\\w+ = a\\.\\w+) OR ");
    }

    @Test
    void noStarJoinsAreGeneratedIfTheirShareIsZero() {
        StatementGenerator generator = new StatementGenerator(6, 0, false, ServerFlavor.MYSQL);
        for (int number = 1; number <= 300; number++) {
            assertThat(generator.statement(number).starJoin()).isFalse();
        }
    }
}
