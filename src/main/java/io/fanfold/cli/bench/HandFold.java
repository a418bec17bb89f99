package io.fanfold.cli.bench;

import io.fanfold.cli.demo.SqlAnswer;
import io.fanfold.row.Row;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Folds the answers of partition queries the plain way: equal keys are one, numbers are added, surplus keys are
 * counted. Correct for keys whose equality is that of their bytes, as in the benchmark's tables. For one thread.
 */
final class HandFold {
    private final HandQuery query;
    private final Map<List<String>, BigDecimal[]> sums = new HashMap<>();

    HandFold(HandQuery query) {
        this.query = query;
    }

    void add(SqlAnswer partial) {
        if (query.keys() == HandQuery.ROWS) {
            return;
        }
        int numbers = partial.columns().size() - query.keys();
        for (Row row : partial.rows()) {
            List<String> key = new ArrayList<>(query.keys());
            for (int i = 0; i < query.keys(); i++) {
                key.add(String.valueOf(row.utf8(i)));
            }
            BigDecimal[] group = sums.computeIfAbsent(key, absent -> zeros(numbers));
            for (int i = 0; i < numbers; i++) {
                String value = row.ascii(query.keys() + i);
                if (value != null) {
                    group[i] = group[i].add(new BigDecimal(value));
                }
            }
        }
    }

    /**
     * The final groups, none where rows are not folded: by their keys the added numbers, the last of which counts the
     * distinct surplus keys.
     */
    Map<List<String>, BigDecimal[]> groups() {
        if (query.groups() == query.keys()) {
            return sums;
        }
        Map<List<String>, BigDecimal[]> groups = new HashMap<>();
        sums.forEach((key, values) -> {
            BigDecimal[] group =
                    groups.computeIfAbsent(key.subList(0, query.groups()), absent -> zeros(values.length + 1));
            for (int i = 0; i < values.length; i++) {
                group[i] = group[i].add(values[i]);
            }
            group[values.length] = group[values.length].add(BigDecimal.ONE);
        });
        return groups;
    }

    /** The only number of a statement without groups; null when there is none. */
    @Nullable
    BigDecimal single() {
        BigDecimal[] only = groups().get(List.of());
        return only == null ? null : only[only.length - 1];
    }

    private static BigDecimal[] zeros(int count) {
        BigDecimal[] zeros = new BigDecimal[count];
        Arrays.fill(zeros, BigDecimal.ZERO);
        return zeros;
    }
}
