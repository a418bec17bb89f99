package io.fanfold.sql;

import static io.fanfold.reason.Refusals.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Expr.AggregateCall;
import io.fanfold.sql.Expr.ColumnRef;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SelectReaderTest {
    private static final SqlDialect MYSQL = new SqlDialect(ServerFlavor.MYSQL, false, false, StandardCharsets.UTF_8);
    private static final ScheduledExecutorService WATCHDOG = Executors.newSingleThreadScheduledExecutor();
    private static final SelectReader READER = new SelectReader(WATCHDOG, Duration.ofMinutes(1));

    @AfterAll
    static void stop() {
        WATCHDOG.shutdownNow();
    }

    static List<GoldenFile.Case> acceptances() {
        return GoldenFile.read("acceptances.txt");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "with x as (select a from t) select x.a, y.n from x join (select b, count(*) as n from u group by b) y",
                "with x (k) as (select a from (select a from t) z), y as (select * from x) select k from y where k in"
                        + " (select b from u where b > (select max(c) from db.v))",
                "select a from t union all (select b from u order by b limit 3) except select c from v order by 1 limit 2",
                "select a from t where b in ((select c from u) union (select d from v)) -- the end"
            })
    void partsAndTablesAreAtTheirTexts(String sql) throws RefusedException {
        StatementModel statement = READER.read(sql, MYSQL);
        assertThat(statement.parts()).isNotEmpty();
        for (StatementModel.StatementBlock part : statement.parts()) {
            assertThat(part.body().of(sql)).isEqualTo(part.block().sql());
        }
        List<String> names = statement.tables().stream()
                .map(table -> table.nameSpan().of(sql))
                .toList();
        assertThat(names).doesNotHaveDuplicates().allMatch(name -> name.matches("t|u|(db\\.)?v"));
        assertThat(names)
                .isEqualTo(statement.tables().stream()
                        .map(table -> (table.schema() == null ? "" : table.schema() + ".") + table.name())
                        .toList());
    }

    @ParameterizedTest
    @MethodSource("acceptances")
    void spansCoverWholeTokensAndNormaliseToTheirTokens(GoldenFile.Case example) throws RefusedException {
        SelectModel model = parsed(example.sql(), example.dialect());
        TokenList list = MySqlLexer.lex(example.sql(), example.dialect());
        for (Expr expr : expressions(model)) {
            assertThat(normalised(expr.outer().of(model.sql()), example.dialect()))
                    .isEqualTo(expr.tokens());
            for (ColumnRef column : expr.columns()) {
                assertThat(expr.outer().contains(column.span())).isTrue();
                assertWhole(list, column.span());
            }
            for (AggregateCall call : expr.aggregates()) {
                assertThat(expr.outer().contains(call.span())).isTrue();
                assertWhole(list, call.span());
                assertThat(call.arguments()).hasSameSizeAs(call.argumentTokens());
                for (int i = 0; i < call.arguments().size(); i++) {
                    assertThat(call.span().contains(call.arguments().get(i).outer()))
                            .isTrue();
                    assertThat(normalised(call.arguments().get(i).outer().of(model.sql()), example.dialect()))
                            .isEqualTo(call.argumentTokens().get(i));
                }
            }
        }
        model.items()
                .forEach(item ->
                        assertThat(model.selectList().contains(item.span())).isTrue());
        model.tables()
                .forEach(table ->
                        assertThat(model.from().contains(table.nameSpan())).isTrue());
        assertWhole(list, model.selectList());
        assertWhole(list, model.from());
    }

    @ParameterizedTest
    @MethodSource("acceptances")
    void columnsAreInOrderAndNeverOverlap(GoldenFile.Case example) {
        for (Expr expr : expressions(parsed(example.sql(), example.dialect()))) {
            int end = 0;
            for (ColumnRef column : expr.columns()) {
                assertThat(column.span().start()).isGreaterThanOrEqualTo(end);
                end = column.span().end();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("acceptances")
    void maskKeepsLengthAndTokensAndHasNoLineFeeds(GoldenFile.Case example) throws RefusedException {
        TokenList list = MySqlLexer.lex(example.sql(), example.dialect());
        String masked = Mask.of(list);
        assertThat(masked).hasSameSizeAs(example.sql()).doesNotContain("\n", "\\", "\"", "/*", "#");
        TokenList again = MySqlLexer.lex(masked, MYSQL);
        assertThat(again.tokens().stream().map(Token::span))
                .isEqualTo(list.tokens().stream().map(Token::span).toList());
        assertThat(again.tokens().stream().map(Token::kind))
                .isEqualTo(list.tokens().stream().map(Token::kind).toList());
    }

    @ParameterizedTest
    @MethodSource("acceptances")
    void commentsBetweenTokensChangeNothingButPositions(GoldenFile.Case example) throws RefusedException {
        TokenList list = MySqlLexer.lex(example.sql(), example.dialect());
        if (list.hint().isPresent()) {
            return;
        }
        StringBuilder text = new StringBuilder();
        int at = 0;
        for (int i = 0; i < list.size(); i++) {
            Token token = list.at(i);
            boolean glued = i == 0
                    || token.symbol("(")
                    || token.symbol(".")
                    || list.at(i - 1).symbol(".");
            text.append(glued ? example.sql().substring(at, token.start()) : " /* c */\n\n\n-- '\n");
            text.append(example.sql(), token.start(), token.end());
            at = token.end();
        }
        SelectModel plain = parsed(example.sql(), example.dialect());
        SelectModel spaced = parsed(text.toString(), example.dialect());
        assertThat(expressions(spaced).stream().map(Expr::tokens))
                .isEqualTo(expressions(plain).stream().map(Expr::tokens).toList());
        assertThat(expressions(spaced).stream().map(Expr::kind))
                .isEqualTo(expressions(plain).stream().map(Expr::kind).toList());
    }

    @ParameterizedTest
    @MethodSource("acceptances")
    void truncatedTextsNeverThrow(GoldenFile.Case example) {
        for (int end = 0; end < example.sql().length(); end++) {
            readOrRefuse(example.sql().substring(0, end), example.dialect());
        }
    }

    @Test
    void randomCharactersNeverThrow() {
        Random random = new Random(42);
        String alphabet = "select from t where a '\"`\\/*-#!;()., \n@=<>|&1e.x\u0000ß";
        for (int round = 0; round < 3_000; round++) {
            StringBuilder text = new StringBuilder("select a from t ");
            for (int i = random.nextInt(40); i > 0; i--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            readOrRefuse(text.toString(), MYSQL);
        }
    }

    @Test
    void longTextsAreRefusedWithoutParsing() {
        String filler = "x".repeat(SelectReader.MAX_LENGTH);
        assertRefused("select '" + filler + "' from t", Reason.TOO_LONG);
        assertRefused("select a from t where a in (1" + ", 1".repeat(3_000) + ")", Reason.TOO_LONG);
        assertRefused("select " + "(".repeat(100) + "a" + ")".repeat(100) + " from t", Reason.TOO_LONG);
    }

    @Test
    void longButAllowedTextsAreRead() {
        assertThat(parsed("select a from t where a in (1" + ", 1".repeat(2_000) + ")", MYSQL)
                        .where())
                .isPresent();
        assertThat(parsed("select " + "(".repeat(50) + "a" + ")".repeat(50) + " from t", MYSQL)
                        .items())
                .hasSize(1);
    }

    @Test
    void aParseThatTakesTooLongIsRefused() {
        InstantAlarm alarm = new InstantAlarm();
        try {
            assertThat(refusalOf(() -> new SelectReader(alarm, Duration.ZERO).read("select a from t", MYSQL)))
                    .isEqualTo(new Refusal(Reason.PARSER_REFUSED, ParserRun.TIMED_OUT));
        } finally {
            alarm.shutdownNow();
        }
    }

    /**
     * Time passed but the parser's thread got no processor. A busy machine must not refuse other statements than an
     * idle one.
     */
    @Test
    void aParseWithoutCpuTimeContinues() throws RefusedException {
        InstantAlarm alarm = new InstantAlarm();
        try {
            assertThat(new SelectReader(alarm, Duration.ofHours(1)).read("select a from t", MYSQL))
                    .isNotNull();
        } finally {
            alarm.shutdownNow();
        }
    }

    @Test
    void serverHintsLoseOnlyTheWordsForFanfold() {
        SelectModel model = parsed("select /*+ NO_ICP(t) PARALLEL(3) BKA(t) parallel */ a from t", MYSQL);
        assertThat(model.serverHints()).isEqualTo("/*+ NO_ICP(t)  BKA(t)  */");
        assertThat(parsed("select /*+ PARALLEL */ a from t", MYSQL).serverHints())
                .isEmpty();
        assertThat(parsed("select a from t", MYSQL).serverHints()).isEmpty();
    }

    private static void assertRefused(String sql, Reason reason) {
        assertThat(refusalOf(() -> READER.read(sql, MYSQL)).reason()).isEqualTo(reason);
    }

    /** Any text is either read or refused with a reason; another exception fails the test. */
    private static void readOrRefuse(String sql, SqlDialect dialect) {
        try {
            assertThat(READER.read(sql, dialect)).as(sql).isNotNull();
        } catch (RefusedException e) {
            assertThat(e.reason()).as(sql).isNotNull();
        }
    }

    private static SelectModel parsed(String sql, SqlDialect dialect) {
        try {
            return READER.read(sql, dialect).select().orElseThrow();
        } catch (RefusedException e) {
            throw new AssertionError(sql, e);
        }
    }

    private static void assertWhole(TokenList list, TextRange span) {
        assertThat(list.startingAt(span.start())).isGreaterThanOrEqualTo(0);
        assertThat(list.at(list.endingBy(span.end()) - 1).end()).isEqualTo(span.end());
    }

    private static String normalised(String text, SqlDialect dialect) throws RefusedException {
        TokenList list = MySqlLexer.lex(text, dialect);
        return list.normalised(0, list.size(), WordLists.of(dialect));
    }

    private static List<Expr> expressions(SelectModel model) {
        List<Expr> expressions = new ArrayList<>();
        model.items().forEach(item -> expressions.add(item.expr()));
        model.where().ifPresent(expressions::add);
        expressions.addAll(model.groupBy());
        model.having().ifPresent(expressions::add);
        model.orderBy().forEach(item -> expressions.add(item.expr()));
        return expressions;
    }
}
