package io.fanfold.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Expr.AggregateCall;
import io.fanfold.sql.Expr.Call;
import io.fanfold.sql.Expr.ExprKind;
import io.fanfold.sql.Expr.Literal;
import io.fanfold.sql.Expr.LiteralType;
import io.fanfold.sql.Expr.Operation;
import io.fanfold.sql.Expr.Subquery;
import io.fanfold.sql.Expr.WindowCall;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExprTest {
    private static final SqlDialect MYSQL = new SqlDialect(ServerFlavor.MYSQL, false, false, StandardCharsets.UTF_8);
    private static final ScheduledExecutorService WATCHDOG = Executors.newSingleThreadScheduledExecutor();

    @AfterAll
    static void stop() {
        WATCHDOG.shutdownNow();
    }

    private static SelectModel model(String sql, SqlDialect dialect) throws RefusedException {
        return new SelectReader(WATCHDOG).read(sql, dialect).select().orElseThrow();
    }

    private static Expr item(String text) throws RefusedException {
        return model("select " + text + " from t", MYSQL).items().get(0).expr();
    }

    private static String key(Expr expr) {
        return expr.key();
    }

    /** Returns the text of an expression with braces around every expression in it. */
    private static String braced(String sql, Expr expr) {
        StringBuilder text = new StringBuilder();
        int at = expr.span().start();
        for (Expr child : expr.children()) {
            text.append(sql, at, child.span().start())
                    .append('{')
                    .append(braced(sql, child))
                    .append('}');
            at = child.span().end();
        }
        return text.append(sql, at, expr.span().end()).toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{a} + {{b} * {c}}",
                "{{a} - {b}} - {c}",
                "({{a} + {b}}) * {-{t.c}}",
                "{{not {{a} between {1} and {2}}} and {b}} or {c}",
                "{{{a} not in {({1}, {'x'})}} and {{b} in ({1})}} and {{({a}, {b})} = {({1}, {2})}}",
                "{{a} not like {'x|%'} escape {'|'}} or {{a} regexp {'x'}}",
                "{{a} is not null} or (({{b} is unknown}))",
                "({{a} <=> {true}}) != ({{b} is false})",
                "{a} collate utf8mb4_bin",
                "case {a} when {1} then {{b} div {2}} when {2} then {null} else {.5} end",
                "case when {{a} > {1e3}} then {b} end",
                "cast({{a} % {b}} as decimal(9, 2))",
                "{{d} + {interval {-{1}} day}} - {interval {`b c`} month}",
                "date_add({date '2001-02-03'}, {interval {'1'} second})",
                "extract(year from {d})",
                "timestampdiff(day, {d}, {current_date})",
                "trim(both {'x'} from {concat(({a}), {b})})",
                "substring({a} from {2} for {b})",
                "position({'x'} in {a})",
                "{current_timestamp()} > {+{a}}",
                "{count(*)} + {sum(({a}))}",
                "group_concat(distinct {a}, {b} order by {c} desc, {{d} + {1}} separator ';')",
                "json_arrayagg({a})",
                "sum({sum({a})}) over (partition by {b}, ({c}) order by {d} desc rows unbounded preceding)",
                "lag({a}, {1}, {0}) over (order by {b})",
                "count(*) over ()",
                "{(select max(b) from u where b in (1, 2))} + {1}",
                "{{a} in {(select b from u)}} or {{a} > {all (select b from u)}}",
                "not {exists (select b from u)}"
            })
    void everyExpressionHasItsOwnTextAndChildrenInOrder(String braced) throws RefusedException {
        String text = braced.replaceAll("[{}]", "");
        SelectModel model = model("select " + text + " from t", MYSQL);
        Expr expr = model.items().get(0).expr();
        assertThat(braced(model.sql(), expr)).isEqualTo(braced);
        assertThat(expr.outer().of(model.sql())).isEqualTo(text);
    }

    static List<GoldenFile.Case> acceptances() {
        return GoldenFile.read("acceptances.txt");
    }

    @ParameterizedTest
    @MethodSource("acceptances")
    void keysAreTheTokensOfTheTexts(GoldenFile.Case example) throws RefusedException {
        SelectModel model = model(example.sql(), example.dialect());
        Stream<Expr> roots = Stream.of(
                        model.items().stream().map(SelectModel.SelectItem::expr),
                        model.where().stream(),
                        model.conjuncts().stream().map(SelectModel.Conjunct::expr),
                        model.groupBy().stream(),
                        model.having().stream(),
                        model.orderBy().stream().map(SelectModel.OrderItem::expr))
                .flatMap(part -> part);
        for (Expr root : roots.toList()) {
            for (Expr expr : root.all(Expr.class)) {
                assertThat(expr.key()).isEqualTo(normalised(expr.span(), model, example.dialect()));
                assertThat(expr.tokens()).isEqualTo(normalised(expr.outer(), model, example.dialect()));
                assertThat(expr.outer().contains(expr.span())).isTrue();
                int end = expr.span().start();
                for (Expr child : expr.children()) {
                    assertThat(child.outer().start()).isGreaterThanOrEqualTo(end);
                    end = child.outer().end();
                }
                assertThat(expr.span().end()).isGreaterThanOrEqualTo(end);
            }
        }
    }

    private static String normalised(TextRange range, SelectModel model, SqlDialect dialect) throws RefusedException {
        TokenList list = MySqlLexer.lex(range.of(model.sql()), dialect);
        TokenList collapsed = Subqueries.collapse(list).list();
        return collapsed.normalised(0, collapsed.size(), WordLists.of(dialect));
    }

    @Test
    void parenthesesBelongToTheOuterRange() throws RefusedException {
        Expr expr = item("((a + b)) * c");
        Expr sum = expr.children().get(0);
        assertThat(sum.key()).isEqualTo("a + b");
        assertThat(sum.tokens()).isEqualTo("( ( a + b ) )");
        assertThat(expr.children().get(1).tokens()).isEqualTo("c");
        assertThat(item("abs(a)").children().get(0).tokens()).isEqualTo("a");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "* | STAR",
                "t.* | STAR",
                "`a` | COLUMN",
                "t.year | COLUMN",
                "(a) | OTHER",
                "max(a) | AGGREGATE",
                "(max(a)) | OTHER",
                "7 | INTEGER",
                "-7 | OTHER",
                "7.5 | LITERAL",
                "null | LITERAL",
                "time '10:00' | LITERAL",
                "(7) | OTHER",
                "now() | OTHER",
                "(select max(b) from u) | OTHER",
                "rank() over (order by a) | OTHER"
            })
    void kindsOfWholeExpressions(String text, ExprKind kind) throws RefusedException {
        assertThat(item(text).kind()).isEqualTo(kind);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "12 | INTEGER",
                "1.5 | DECIMAL",
                ".5 | DECIMAL",
                "1.5e2 | DOUBLE",
                "1E2 | DOUBLE",
                "'1' | STRING",
                "false | BOOLEAN",
                "null | NULL",
                "timestamp '2001-02-03 04:05:06' | TEMPORAL"
            })
    void typesOfLiterals(String text, LiteralType type) throws RefusedException {
        assertThat(((Literal) item(text)).type()).isEqualTo(type);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a not like 'x' | LIKE | true",
                "a rlike 'x' | REGEXP | false",
                "a is not true | IS_TRUE | true",
                "a is null | IS_NULL | false",
                "a not between 1 and 2 | BETWEEN | true",
                "a not in (1) | IN | true",
                "not a | NOT | false",
                "a != 1 | NOT_EQUAL | false",
                "-a | NEGATE | false"
            })
    void operatorsAndTheirNegation(String text, Operator operator, boolean negated) throws RefusedException {
        Operation operation = (Operation) item(text);
        assertThat(operation.operator()).isEqualTo(operator);
        assertThat(operation.negated()).isEqualTo(negated);
    }

    @Test
    void callsKnowTheirUnitsAndFunctions() throws RefusedException {
        assertThat(((Call) item("extract(year_month from d)")).unit()).contains("YEAR_MONTH");
        Call difference = (Call) item("timestampdiff(day, d, e)");
        assertThat(difference.unit()).contains("DAY");
        assertThat(difference.function()).isEqualTo("TIMESTAMPDIFF");
        assertThat(difference.columns()).extracting(Expr.ColumnRef::name).containsExactly("d", "e");
        assertThat(((Call) item("current_date")).function()).isEqualTo("CURRENT_DATE");
        assertThat(((Expr.Cast) item("cast(a as unsigned integer)")).target()).isEqualTo("UNSIGNED");
        Expr.Interval interval =
                (Expr.Interval) item("d - interval 2 hour").children().get(1);
        assertThat(interval.unit()).isEqualTo("HOUR");
    }

    @Test
    void aggregatesKnowTheirParts() throws RefusedException {
        AggregateCall call =
                (AggregateCall) item("group_concat(distinct (a), b + 1 order by c desc, t.d separator ' order by ')");
        assertThat(call.function()).isEqualTo(AggregateFunction.GROUP_CONCAT);
        assertThat(call.distinct()).isTrue();
        assertThat(call.argumentTokens()).containsExactly("( a )", "b + 1");
        assertThat(call.sortedBy()).containsExactly("c", "t . d");
        assertThat(call.order()).extracting(Expr.OrderKey::descending).containsExactly(true, false);
        assertThat(((AggregateCall) item("count(*)")).arguments()).isEmpty();
        assertThat(((AggregateCall) item("std(a)")).function()).isEqualTo(AggregateFunction.STDDEV_POP);
    }

    @Test
    void windowsKnowTheirParts() throws RefusedException {
        String sql = "select a, sum(b) over (partition by a + 1 order by c desc range current row) from t";
        SelectModel model = model(sql, MYSQL);
        WindowCall call = (WindowCall) model.items().get(1).expr();
        assertThat(call.function()).isEqualTo("SUM");
        assertThat(call.arguments()).extracting(ExprTest::key).containsExactly("b");
        assertThat(call.partition()).extracting(ExprTest::key).containsExactly("a + 1");
        assertThat(call.order()).extracting(key -> key.expr().key()).containsExactly("c");
        assertThat(call.order()).extracting(Expr.OrderKey::descending).containsExactly(true);
        assertThat(call.frame().map(frame -> frame.of(sql))).contains("range current row");
        assertThat(((WindowCall) item("rank() over (order by a)")).frame()).isEqualTo(Optional.empty());
    }

    @Test
    void subqueriesKnowTheirBlocks() throws RefusedException {
        String text = "exists (select b from u union select c from v)";
        Subquery subquery = (Subquery) item(text);
        assertThat(subquery.quantifier()).isEqualTo("EXISTS");
        assertThat(subquery.body().of("select " + text)).isEqualTo("select b from u union select c from v");
        assertThat(subquery.blocks())
                .extracting(block -> block.tables().get(0).name())
                .containsExactly("u", "v");
        assertThat(subquery.columns()).isEmpty();
        Subquery plain =
                (Subquery) item("a = (select max(b) from u)").children().get(1);
        assertThat(plain.quantifier()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sum(a) | ",
                "((sum(a))) | ",
                "+sum(a) | ",
                "-(sum(a) + 1) * 2 | *,NEG,+",
                "round(cast(sum(a) as decimal(9, 2)) / 3, 1) | ROUND,/,CAST AS DECIMAL",
                "case when sum(a) in (1, 2) or a then 1 end | CASE,LOGIC,COMPARISON",
                "1 in (sum(a), 2) | COMPARISON,ROW",
                "rank() over (order by abs(sum(a))) | OVER,ABS",
                "trim(sum(a)) | TRIM",
                "hex(sum(a)) collate utf8mb4_bin | COLLATE,HEX",
                "d + interval 1 day > date_add(sum(a), interval 1 day) | COMPARISON,DATE_ADD",
                "extract(day from sum(a)) div 2 | DIV,EXTRACT"
            })
    void operationsAroundAnAggregate(String text, String around) throws RefusedException {
        Expr expr = item(text);
        assertThat(String.join(",", expr.enclosing(expr.aggregates().get(0)))).isEqualTo(around == null ? "" : around);
    }

    @Test
    void anExpressionElsewhereIsNotEnclosed() throws RefusedException {
        Expr expr = item("a + b");
        Expr other = item("abs(a + b) + c").children().get(1);
        assertThatThrownBy(() -> expr.enclosing(other)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void chainsOfOperatorsMayBeLong() throws RefusedException {
        Expr expr = item("a" + " + sum(a)".repeat(900));
        assertThat(expr.columns()).hasSize(901);
        AggregateCall first = expr.aggregates().get(0);
        assertThat(expr.enclosing(first)).hasSize(900);
    }
}
