package io.fanfold.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.RefusedException;
import io.fanfold.sql.SelectModel.Comparison;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ComparisonReaderTest {
    private static final SqlDialect MYSQL = new SqlDialect(ServerFlavor.MYSQL, false, false, StandardCharsets.UTF_8);
    private static final ScheduledExecutorService WATCHDOG = Executors.newSingleThreadScheduledExecutor();

    @AfterAll
    static void stop() {
        WATCHDOG.shutdownNow();
    }

    private static Optional<List<String>> read(String from) throws RefusedException {
        String sql = "select a from t " + from;
        return new SelectReader(WATCHDOG)
                .read(sql, MYSQL)
                .select()
                .orElseThrow()
                .comparisons()
                .map(all -> all.stream().map(one -> text(sql, one)).toList());
    }

    private static String text(String sql, Comparison comparison) {
        return comparison.columns().stream().map(column -> column.of(sql)).toList() + " "
                + comparison.literals().stream().map(Expr::key).toList()
                + (comparison.pattern() ? " pattern" : "");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "a = 1 | [a] [1]",
                "- 1.5e3 <= `a b` | [`a b`] [- 1.5e3]",
                "t.a <=> b | [t.a, b] []",
                "a in (1, -2, 'x') | [a] [1, - 2, 'x']",
                "a not in ('x') | [a] ['x']",
                "a not between b and '2' | [a, b] ['2']",
                "a like 'x%' | [a] ['x%'] pattern",
                "a < date  '2001-02-03' | [a] [date '2001-02-03']",
                "a < date '2001-02-03' + interval 2 month | [a] [date '2001-02-03' + interval 2 month]",
                "a < date '2001-02-03' - interval '1' day | [a] [date '2001-02-03' - interval '1' day]",
                "a = true | [a, true] []",
                "a < current_date | [a, current_date] []"
            })
    void comparisonsKnowTheirColumnsAndLiterals(String condition, String comparison) throws RefusedException {
        assertThat(read("where " + condition)).contains(List.of(comparison));
    }

    @Test
    void conditionsAreTakenApart() throws RefusedException {
        assertThat(read("join u on t.a = u.a where not (a > 1 or (b is not null and c < 3)) and d <> 4"))
                .contains(List.of("[t.a, u.a] []", "[a] [1]", "[c] [3]", "[d] [4]"));
        assertThat(read("")).contains(List.of());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "1 = 1",
                "(a) = 1",
                "a = (1)",
                "a = +1",
                "a = -(1)",
                "a = b + 1",
                "a = 1 and abs(b) = 2",
                "a is true",
                "1 is null",
                "a in (b)",
                "a in (1, b)",
                "1 in (1, 2)",
                "a like 'x' escape '|'",
                "a like b",
                "a regexp 'x'",
                "1 between a and b",
                "a < time '10:00'",
                "a < now()",
                "a < date '2001-02-03' + interval b day",
                "a < date '2001-02-03' + interval -1 day",
                "a < date '2001-02-03' + interval 1 hour",
                "a < b + interval 1 day",
                "(a, b) = (1, 2)",
                "a = 1 and b in (select c from u)"
            })
    void anythingElseMakesTheResultEmpty(String condition) throws RefusedException {
        assertThat(read("where " + condition)).isEmpty();
    }
}
