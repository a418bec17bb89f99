package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.ExplainedTable;
import io.fanfold.sql.SelectModel.TablePlace;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.TextRange;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableDivisionTest {
    private static final TableRef SALES =
            new TableRef(new TextRange(0, 1), "db", "sales", null, false, Optional.empty(), TablePlace.FROM);

    /** On MySQL 9.7, a table of 6,000,000 rows had 5,663,542 by its statistics, and 12,000,000 in its intervals. */
    @ParameterizedTest
    @CsvSource({
        "ALL, 5663542, 12000000, true",
        "index, 5663542, 12000000, true",
        "range, 5663542, 12000000, false",
        "range, 6000001, 12000000, true",
        "range, 1000, 12000000, false"
    })
    void onlyAPartOfTheIndexIsCutAgain(String accessType, long rows, long ofIntervals, boolean most) {
        List<ExplainedTable> plan = List.of(new ExplainedTable(1, "sales", List.of(), accessType, rows, ""));
        assertThat(TableDivision.readsMost(plan, SALES, ofIntervals)).isEqualTo(most);
    }
}
