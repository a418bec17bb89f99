package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.Template.AggregateRef;
import io.fanfold.plan.Template.KeyRef;
import io.fanfold.plan.Template.Text;
import io.fanfold.sql.TextRange;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpliceTest {
    @Test
    void textThatIsNotReplacedIsKept() {
        Splice splice = new Splice("SELECT a + b * c FROM t");
        splice.replace(new TextRange(15, 16), List.of(new AggregateRef(1)));
        splice.replace(new TextRange(7, 8), List.of(new KeyRef(0)));
        assertThat(splice.pieces(new TextRange(7, 16)))
                .containsExactly(new KeyRef(0), new Text(" + b * "), new AggregateRef(1));
        assertThat(splice.pieces(new TextRange(5, 18)))
                .containsExactly(
                        new Text("T "), new KeyRef(0), new Text(" + b * "), new AggregateRef(1), new Text(" F"));
    }

    @Test
    void thereIsNoTextBetweenAdjacentParts() {
        Splice splice = new Splice("-a");
        splice.replace(new TextRange(0, 1), List.of(new Text("0 - ")));
        splice.replace(new TextRange(1, 2), List.of(new KeyRef(0), new Text(")")));
        assertThat(splice.pieces(new TextRange(0, 2))).containsExactly(new Text("0 - "), new KeyRef(0), new Text(")"));
    }

    @Test
    void onlyRangesInsideAPartAreCovered() {
        Splice splice = new Splice("SUM(a) + b");
        assertThat(splice.covers(new TextRange(4, 5))).isFalse();
        splice.replace(new TextRange(0, 6), List.of(new AggregateRef(0)));
        assertThat(splice.covers(new TextRange(4, 5))).isTrue();
        assertThat(splice.covers(new TextRange(9, 10))).isFalse();
        assertThat(splice.covers(new TextRange(4, 10))).isFalse();
    }
}
