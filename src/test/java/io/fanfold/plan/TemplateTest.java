package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.Template.AggregateRef;
import io.fanfold.plan.Template.KeyRef;
import io.fanfold.plan.Template.Position;
import io.fanfold.plan.Template.QuotientRef;
import io.fanfold.plan.Template.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TemplateTest {
    private static final FinalQueryColumns COLUMNS = new FinalQueryColumns(
            List.of(
                    new ColumnEncoding.TypedEncoding("bigint", false),
                    new ColumnEncoding.BinaryEncoding(),
                    new ColumnEncoding.TypedEncoding("decimal(30,2)", false),
                    new ColumnEncoding.TypedEncoding("bigint", false),
                    new ColumnEncoding.BinaryEncoding()),
            2,
            Map.of(),
            List.of());

    @Test
    void referencesFollowTheKeys() {
        assertThat(COLUMNS.render(new KeyRef(0))).isEqualTo("ff.c0");
        assertThat(COLUMNS.render(new AggregateRef(0))).isEqualTo("ff.c2");
        assertThat(COLUMNS.render(new QuotientRef(0, 1))).isEqualTo("(ff.c2/ff.c3)");
    }

    @Test
    void bytesAreDecodedWhereTheyAreUsed() {
        assertThat(COLUMNS.render(new KeyRef(1))).isEqualTo("FROM_BASE64(ff.c1)");
        assertThat(COLUMNS.render(new AggregateRef(2))).isEqualTo("FROM_BASE64(ff.c4)");
    }

    @Test
    void piecesAreRenderedInOrder() {
        Template template = new Template(
                List.of(new Text("1+"), new AggregateRef(1), new Text(" - "), new KeyRef(0), new Text(" DESC")));
        assertThat(template.render(COLUMNS::render)).isEqualTo("1+ff.c3 - ff.c0 DESC");
        assertThat(template.bare()).isFalse();
    }

    @Test
    void aPositionIsNoReference() {
        Template template = new Template(List.of(new Position(1), new Text(" DESC")));
        assertThat(template.render(COLUMNS::render)).isEqualTo("2 DESC");
        assertThat(template.ofKeys()).isTrue();
        assertThat(new Template(List.of(new Position(1))).bare()).isFalse();
    }

    @Test
    void onlyOneReferenceAloneIsBare() {
        assertThat(new Template(List.of(new KeyRef(0))).bare()).isTrue();
        assertThat(new Template(List.of(new QuotientRef(0, 1))).bare()).isTrue();
        assertThat(new Template(List.of(new Text("1"))).bare()).isFalse();
        assertThat(new Template(List.of(new KeyRef(0), new Text(" "))).bare()).isFalse();
        assertThat(new Template(List.of()).bare()).isFalse();
    }

    @Test
    void aQuotientIsNoMergedColumn() {
        assertThat(new Template(List.of(new KeyRef(0))).mergedColumn()).isTrue();
        assertThat(new Template(List.of(new AggregateRef(0))).mergedColumn()).isTrue();
        assertThat(new Template(List.of(new QuotientRef(0, 1))).mergedColumn()).isFalse();
        assertThat(new Template(List.of(new KeyRef(0), new Text(" "))).mergedColumn())
                .isFalse();
    }

    @Test
    void piecesAreCopied() {
        List<Template.Piece> pieces = new ArrayList<>(List.of(new KeyRef(0)));
        Template template = new Template(pieces);
        pieces.add(new Text("x"));
        assertThat(template.render(COLUMNS::render)).isEqualTo("ff.c0");
    }
}
