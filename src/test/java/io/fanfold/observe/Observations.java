package io.fanfold.observe;

import io.fanfold.inspect.Finding;
import io.fanfold.observe.Explanation.ExplainedStep;
import io.fanfold.observe.StatementGroups.Load;
import io.fanfold.observe.Verdict.Decision;
import java.util.List;
import java.util.Optional;

/** An observation for tests: 100 s, of which 60 s would be split. */
final class Observations {
    static final long SECOND = 1_000_000_000;

    private Observations() {}

    static StatementGroup group(String digest, long executions, long seconds) {
        return new StatementGroup("shop", digest, digest, false, executions, seconds * SECOND);
    }

    static Verdict split(StatementGroup group, long expectedSeconds) {
        Explanation explanation = new Explanation(List.of(
                new ExplainedStep("decision", "split"),
                new ExplainedStep("workers", "4"),
                new ExplainedStep("partitions", "8 of 8 of shop.orders, in 4 queries: p0, p1")));
        return new Verdict(group, Decision.SPLIT, "", "", Optional.of(explanation), expectedSeconds * SECOND);
    }

    static Verdict passed(StatementGroup group, String label, String sentence) {
        return new Verdict(group, Decision.PASSED_THROUGH, label, sentence, Optional.empty(), group.nanos());
    }

    static Observation sample() {
        List<Verdict> verdicts = List.of(
                split(group("SELECT status, COUNT(*) FROM orders GROUP BY status", 30, 60), 20),
                passed(group("SELECT a\nFROM plain", 3, 10), "no_partitioned_table", "it names none"),
                passed(group("SELECT b FROM plain", 1, 5), "no_partitioned_table", "it names none"),
                new Verdict(
                        group("SELECT x FROM gone", 2, 5),
                        Decision.NOT_EXPLAINED,
                        "error 1146",
                        "the server refuses it: Table 'shop.gone' doesn't exist",
                        Optional.empty(),
                        5 * SECOND));
        List<StatementGroup> groups = verdicts.stream().map(Verdict::group).toList();
        return new Observation(
                "slow log slow.log",
                "MySQL 9.7.4 at db:3306",
                new Load(1000, 100 * SECOND, 40, 83 * SECOND, groups),
                verdicts,
                List.of(new Advice(
                        "no_partitioned_table", 15 * SECOND, "shop.plain is not partitioned", List.of("ALTER"))),
                List.of(new Finding(Finding.Severity.ADVICE, "no proof", List.of("GRANT"))));
    }
}
