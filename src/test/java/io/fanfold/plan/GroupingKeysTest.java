package io.fanfold.plan;

import static io.fanfold.plan.TypeSample.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.LogicalPlan.Input;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Expr;
import io.fanfold.sql.SelectModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GroupingKeysTest {
    private final Inputs inputs = new Inputs();

    private GroupingKeys of(SelectModel model) throws RefusedException {
        GroupingKeys keys = new GroupingKeys(model, inputs);
        for (Expr expr : model.groupBy()) {
            keys.add(expr);
        }
        return keys;
    }

    @Test
    void everyExpressionIsOneKeyWithItsInput() throws Exception {
        inputs.value("b");
        GroupingKeys keys = of(Sample.read("SELECT COUNT(*) FROM t GROUP BY a, B, a + 1, A, a+1"));
        assertThat(keys.list()).hasSize(3);
        assertThat(keys.exprs()).extracting(Expr::key).containsExactly("a", "b", "a + 1");
        assertThat(keys.inputs()).containsExactly(1, 2, 3);
        assertThat(inputs.list()).extracting(Input::sql).containsExactly("b", "a", "B", "a + 1");
    }

    @ParameterizedTest
    @CsvSource({"b,1", "t.b,1", "a + 1,2", "A+1,2", "1 + a,-1", "c,-1", "x.b,1"})
    void aKeyIsFoundByItsNameOrItsTokens(String item, int key) throws Exception {
        SelectModel model = Sample.read("SELECT " + item + " FROM t x JOIN t GROUP BY a, b, a + 1");
        assertThat(of(model).of(model.items().get(0).expr())).isEqualTo(key);
    }

    @Test
    void anUnqualifiedNameMayMeanAnotherColumnWithUsing() throws Exception {
        SelectModel model = Sample.read("SELECT b FROM t JOIN d USING (k) GROUP BY t.b");
        assertThat(of(model).of(model.items().get(0).expr())).isEqualTo(-1);
    }

    @Test
    void aNameOfTwoKeysIsAmbiguous() throws Exception {
        SelectModel model = Sample.read("SELECT b FROM t JOIN d ON t.a = d.k GROUP BY t.b, d.b");
        GroupingKeys keys = of(model);
        assertRefused(Reason.AMBIGUOUS_NAME, () -> keys.of(model.items().get(0).expr()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"COUNT(a)", "1 + 1", "RANK() OVER (ORDER BY a)", "a IN (SELECT k FROM d)"})
    void otherExpressionsAreNoKeys(String item) {
        SelectModel model = Sample.read("SELECT " + item + " FROM t");
        GroupingKeys keys = new GroupingKeys(model, inputs);
        assertRefused(
                Reason.UNSUPPORTED_SYNTAX, () -> keys.add(model.items().get(0).expr()));
    }
}
