package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.row.ColumnType;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExactFormTest {
    @ParameterizedTest
    @CsvSource({
        "INET4, true, INET4",
        "INET6, true, INET6",
        "BIT, true, BITS",
        "FLOAT, true, ALL_DIGITS",
        "TIMESTAMP, false, MOMENT",
        "TIMESTAMP, true,",
        "DATETIME, false,",
        "LONG, false,"
    })
    void someTypesLoseSomethingAsText(ColumnType type, boolean momentsAreLocal, ExactForm needed) {
        assertThat(ExactForm.needed(TypeSample.ofTable(type, 0, 0), momentsAreLocal))
                .isEqualTo(Optional.ofNullable(needed));
    }
}
