package io.fanfold.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.fuzz.Expectation.Openness.Kind;
import io.fanfold.fuzz.Term.Form;
import java.util.List;
import org.junit.jupiter.api.Test;

class SoundnessTest {
    static final Source T = Source.table("t", "t", "id");
    static final Expr ID = column("id", ValueType.of(Family.INT));
    static final Expr G = column("g", ValueType.of(Family.INT));
    static final Expr CI = column("ci", new ValueType(Family.TEXT, "utf8mb4_general_ci", false));
    static final Expr COUNT =
            new Expr(Expr.Role.AGGREGATE, ValueType.of(Family.INT), List.of("COUNT(*)"), List.of(), "");

    static Expr column(String name, ValueType type) {
        return Expr.column(type, "t." + name, name);
    }

    static Expr call(Expr.Role role, Family family, String line, SqlNode... children) {
        return ExprWriter.make(Grammar.Production.of(line), role, family, List.of(children));
    }

    static Query query(List<Expr> items, List<Expr> groups, List<Expr> orders) {
        return new Query(
                List.of(),
                false,
                items.stream().map(expr -> new Item(expr, "")).toList(),
                List.of(T),
                List.of(),
                groups.stream()
                        .map(expr -> new Term(expr, Form.EXPRESSION, false))
                        .toList(),
                false,
                List.of(),
                "",
                orders.stream()
                        .map(expr -> new Term(expr, Form.EXPRESSION, false))
                        .toList(),
                null);
    }

    @Test
    void rowsAreOrderedTotallyByAUniqueColumn() {
        assertThat(query(List.of(CI), List.of(), List.of(CI, ID)).expectation().total())
                .isTrue();
        assertThat(query(List.of(CI), List.of(), List.of(CI, G)).expectation().total())
                .isFalse();
    }

    @Test
    void groupsAreOrderedTotallyByAllTheirKeys() {
        assertThat(query(List.of(G, COUNT), List.of(G, CI), List.of(G))
                        .expectation()
                        .total())
                .isFalse();
        assertThat(query(List.of(G, COUNT), List.of(G, CI), List.of(CI, COUNT, G))
                        .expectation()
                        .total())
                .isTrue();
    }

    @Test
    void aGroupShowsAnyOfItsEqualStrings() {
        Expectation expectation =
                query(List.of(CI, COUNT), List.of(CI), List.of()).expectation();
        assertThat(expectation.sound()).isTrue();
        assertThat(expectation.columns().get(0).kind()).isEqualTo(Kind.STRING);
        assertThat(expectation.columns().get(0).collation()).isEqualTo("utf8mb4_general_ci");
        assertThat(expectation.columns().get(1).closed()).isTrue();
    }

    @Test
    void valuesThatDependOnTheChosenStringAreNotCompared() {
        Expr length = call(Expr.Role.FUNCTION, Family.INT, "LENGTH({text})", CI);
        assertThat(query(List.of(length), List.of(CI), List.of()).expectation().sound())
                .isFalse();
        assertThat(query(List.of(length), List.of(length), List.of())
                        .expectation()
                        .sound())
                .isTrue();
        Expr equal = call(Expr.Role.COMPARISON, Family.BOOL, "({text} = 'a')", CI);
        assertThat(query(List.of(equal), List.of(CI), List.of()).expectation().sound())
                .isTrue();
    }

    @Test
    void columnsThatAreNotGroupedAreNotCompared() {
        assertThat(query(List.of(G, COUNT), List.of(CI), List.of())
                        .expectation()
                        .sound())
                .isFalse();
    }

    @Test
    void sortedColumnsAreThoseAtTheFrontThatAreClosed() {
        assertThat(query(List.of(COUNT, G, CI), List.of(G, CI), List.of(G, CI, COUNT))
                        .expectation()
                        .sorted())
                .containsExactly(1);
    }
}
