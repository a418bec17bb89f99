package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.Template.KeyRef;
import io.fanfold.plan.Template.SlotRef;
import io.fanfold.plan.Template.Text;
import io.fanfold.sql.Span;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpliceTest {
    @Test
    void whatIsNotReplacedStaysAsText() {
        Splice splice = new Splice("SELECT a + b * c FROM t");
        splice.replace(new Span(15, 16), List.of(new SlotRef(1)));
        splice.replace(new Span(7, 8), List.of(new KeyRef(0)));
        assertThat(splice.pieces(new Span(7, 16))).containsExactly(new KeyRef(0), new Text(" + b * "), new SlotRef(1));
        assertThat(splice.pieces(new Span(5, 18)))
                .containsExactly(new Text("T "), new KeyRef(0), new Text(" + b * "), new SlotRef(1), new Text(" F"));
    }

    @Test
    void nothingStandsBetweenPartsThatTouch() {
        Splice splice = new Splice("-a");
        splice.replace(new Span(0, 1), List.of(new Text("0 - ")));
        splice.replace(new Span(1, 2), List.of(new KeyRef(0), new Text(")")));
        assertThat(splice.pieces(new Span(0, 2))).containsExactly(new Text("0 - "), new KeyRef(0), new Text(")"));
    }

    @Test
    void onlyWhatLiesWithinAPartIsCovered() {
        Splice splice = new Splice("SUM(a) + b");
        assertThat(splice.covers(new Span(4, 5))).isFalse();
        splice.replace(new Span(0, 6), List.of(new SlotRef(0)));
        assertThat(splice.covers(new Span(4, 5))).isTrue();
        assertThat(splice.covers(new Span(9, 10))).isFalse();
        assertThat(splice.covers(new Span(4, 10))).isFalse();
    }
}
