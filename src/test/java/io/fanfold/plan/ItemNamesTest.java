package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Expr;
import io.fanfold.sql.SelectModel;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ItemNamesTest {
    private static Expr orderedBy(SelectModel model) {
        return model.orderBy().get(0).expr();
    }

    private static void refuses(Reason reason, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }

    @Test
    void anAliasIsFoundWithoutCaseAndMustNotBeAColumn() throws Exception {
        SelectModel model = Sample.read("SELECT a, b + 1 AS Bee FROM t ORDER BY bEE LIMIT 1");
        ItemNames names = new ItemNames(model);
        assertThat(names.aliased(orderedBy(model))).contains(1);
        assertThat(names.shadowingAliases()).containsExactly("bee");
    }

    @Test
    void anAliasThatRepeatsItsColumnIsTheColumn() throws Exception {
        SelectModel model = Sample.read("SELECT t.a AS A FROM t ORDER BY a LIMIT 1");
        ItemNames names = new ItemNames(model);
        assertThat(names.aliased(orderedBy(model))).isEmpty();
        assertThat(names.shadowingAliases()).isEmpty();
    }

    @Test
    void aQualifiedNameIsNoAlias() throws Exception {
        SelectModel model = Sample.read("SELECT a AS x FROM t ORDER BY t.x LIMIT 1");
        ItemNames names = new ItemNames(model);
        assertThat(names.aliased(orderedBy(model))).isEmpty();
        assertThat(names.shadowingAliases()).isEmpty();
    }

    @Test
    void anExpressionIsNoAlias() throws Exception {
        SelectModel model = Sample.read("SELECT a AS x FROM t ORDER BY x + 1 LIMIT 1");
        ItemNames names = new ItemNames(model);
        assertThat(names.aliased(orderedBy(model))).isEmpty();
        assertThat(names.aliased(orderedBy(model).columns().get(0))).contains(0);
    }

    @Test
    void anAliasThatTwoItemsHaveIsAmbiguous() {
        SelectModel model = Sample.read("SELECT a AS x, b AS X FROM t ORDER BY x LIMIT 1");
        refuses(Reason.AMBIGUOUS_NAME, () -> new ItemNames(model).aliased(orderedBy(model)));
    }

    @Test
    void positionsCountFromOne() throws Exception {
        SelectModel model = Sample.read("SELECT a, b FROM t ORDER BY 2 LIMIT 1");
        assertThat(new ItemNames(model).atPosition("1")).isEqualTo(model.items().get(0));
        assertThat(new ItemNames(model).atPosition("2")).isEqualTo(model.items().get(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "3", "2147483648", "99999999999999999999"})
    void invalidPositionsAreRefused(String position) {
        SelectModel model = Sample.read("SELECT a, b FROM t ORDER BY a LIMIT 1");
        refuses(Reason.UNSUPPORTED_SYNTAX, () -> new ItemNames(model).atPosition(position));
    }

    @Test
    void aPositionBesideAStarIsRefused() {
        SelectModel model = Sample.read("SELECT a, t.* FROM t ORDER BY a LIMIT 1");
        refuses(Reason.UNSUPPORTED_SYNTAX, () -> new ItemNames(model).atPosition("1"));
    }
}
