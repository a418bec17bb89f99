package io.fanfold.plan;

import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.SelectModel.TableRef;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The server's plans of several partition queries of one statement. The server chooses a plan for each: where two are
 * about as good by its estimates, one query may look rows up and the next one scan a table.
 *
 * @param whole the plan of the statement
 * @param parts the plans of partition queries, at least one
 * @param queries the number of all partition queries, of which {@code parts} may be only some
 */
public record PartPlans(List<ExplainedTable> whole, List<List<ExplainedTable>> parts, int queries) {
    /** Partition queries with other plans may read at most this many times the rows of the whole statement. */
    private static final int WORSE_FACTOR = 2;

    /**
     * Returns the doubt about a split that reads clearly more rows, and of which some queries read the split table earlier
     * than the statement does, or a subquery in another way.
     *
     * @param split the table instance to split
     * @param workers their number, 1 or more
     */
    public Optional<PlanDoubt> otherPlan(TableRef split, int workers) {
        Optional<List<ExplainedTable>> other =
                parts.stream().filter(plan -> differs(plan, split)).findFirst();
        long once = CostGate.total(whole);
        long together = ofAll(parts.stream().mapToDouble(CostGate::total).sum());
        return other.isEmpty() || together / WORSE_FACTOR <= once
                ? Optional.empty()
                : Optional.of(new PlanDoubt(
                        new Refusal(
                                Reason.WORSE_PLAN,
                                "a partition query reads " + order(other.get()) + ", the statement " + order(whole)
                                        + "; " + together + " rows in " + queries + " partition queries, " + once
                                        + " in one"),
                        together / workers));
    }

    private boolean differs(List<ExplainedTable> plan, TableRef split) {
        return !CostGate.before(plan, split).containsAll(CostGate.before(whole, split))
                || !Set.copyOf(order(plan)).equals(Set.copyOf(order(whole)));
    }

    /**
     * Returns the objection to a split whose workers would take longer for the subqueries alone than the server takes for
     * the statement: each partition query runs them again.
     *
     * @param split the table instance to split, which none of these subqueries reads
     * @param workers their number, 1 or more
     */
    public Optional<Refusal> repeated(TableRef split, int workers) {
        long once = CostGate.total(whole);
        long again = ofAll(parts.stream()
                .mapToDouble(plan -> CostGate.total(plan) - CostGate.total(own(plan, split)))
                .sum());
        return again / workers < once
                ? Optional.empty()
                : Optional.of(new Refusal(
                        Reason.WORSE_PLAN,
                        again + " rows of subqueries in " + queries + " partition queries, " + once + " rows in one"));
    }

    private long ofAll(double rows) {
        return (long) (rows / parts.size() * queries);
    }

    /** Returns the rows of the SELECT that reads the split table; all rows if there is not exactly one. */
    private static List<ExplainedTable> own(List<ExplainedTable> plan, TableRef split) {
        List<Long> selects = CostGate.shownAs(plan, split).stream()
                .map(ExplainedTable::select)
                .distinct()
                .toList();
        return selects.size() == 1
                ? plan.stream().filter(row -> row.select() == selects.get(0)).toList()
                : plan;
    }

    /** Returns the tables of a plan in the order of the plan, each with the number of its SELECT. */
    private static List<String> order(List<ExplainedTable> plan) {
        return plan.stream()
                .map(row -> row.select() + "." + row.table().toLowerCase(Locale.ROOT))
                .toList();
    }
}
