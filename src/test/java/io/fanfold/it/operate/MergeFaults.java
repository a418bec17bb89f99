package io.fanfold.it.operate;

import static io.fanfold.execute.PlanFault.clauses;
import static io.fanfold.execute.PlanFault.completion;
import static io.fanfold.execute.PlanFault.finalQuery;
import static io.fanfold.execute.PlanFault.merge;
import static io.fanfold.execute.PlanFault.tail;

import io.fanfold.execute.PlanFault;
import io.fanfold.operator.OperatorFault;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.FanOutPlan.Completion;
import io.fanfold.plan.MergeNode;
import io.fanfold.plan.MergeNode.Aggregate;
import io.fanfold.plan.MergeNode.Average;
import io.fanfold.plan.MergeNode.BitOperation;
import io.fanfold.plan.MergeNode.GroupKey;
import io.fanfold.plan.MergeNode.GroupOrder;
import io.fanfold.plan.MergeNode.MergeFunction;
import io.fanfold.plan.MergeNode.SortColumn;
import io.fanfold.plan.MergeNode.Streamed;
import io.fanfold.plan.MergeNode.TopRows;
import io.fanfold.plan.SortKey;
import io.fanfold.plan.SortKey.KeyComparison;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Mistakes that rules and operators could have, each with a statement over {@code verify_faults} whose answer it makes
 * wrong.
 */
final class MergeFaults {
    private static final byte[] NO_PAD = {};

    /**
     * A mistake.
     *
     * @param name what is wrong
     * @param sql a statement whose answer it changes
     * @param begin puts the mistake into effect
     */
    record Fault(String name, String sql, Supplier<Effect> begin) {
        Fault(String name, String sql, UnaryOperator<FanOutPlan> mistake) {
            this(name, sql, () -> PlanFault.of("verify_faults", mistake)::close);
        }

        Fault(String name, String sql, OperatorFault mistake) {
            this(name, sql, () -> {
                mistake.begin();
                return mistake::end;
            });
        }
    }

    /** A mistake that is in effect until it is closed. */
    @FunctionalInterface
    interface Effect extends AutoCloseable {
        @Override
        void close();
    }

    private MergeFaults() {}

    static List<Fault> all() {
        List<Fault> faults = new ArrayList<>();
        faults.addAll(ofFunctions());
        faults.addAll(ofKeys());
        faults.addAll(ofOrders());
        faults.addAll(ofQueries());
        faults.addAll(ofOperators());
        return faults;
    }

    private static List<Fault> ofFunctions() {
        return List.of(
                new Fault("MAX takes the smallest", "SELECT g, MAX(d) FROM verify_faults GROUP BY g", function(0, f -> {
                    MergeFunction.Max max = (MergeFunction.Max) f;
                    return new MergeFunction.Min(max.column(), max.compare());
                })),
                new Fault("MIN takes the largest", "SELECT MIN(t) FROM verify_faults", function(0, f -> {
                    MergeFunction.Min min = (MergeFunction.Min) f;
                    return new MergeFunction.Max(min.column(), min.compare());
                })),
                new Fault(
                        "COUNT takes the largest part",
                        "SELECT g, COUNT(*) FROM verify_faults GROUP BY g",
                        function(
                                0,
                                f -> new MergeFunction.Max(
                                        ((MergeFunction.Sum) f).column(), key(1, KeyComparison.NUMBER)))),
                new Fault(
                        "SUM adds another column",
                        "SELECT g, SUM(d), SUM(h) FROM verify_faults GROUP BY g",
                        function(0, f -> new MergeFunction.Sum(2, false))),
                new Fault(
                        "SUM of nothing is 0",
                        "SELECT SUM(d) FROM verify_faults WHERE d > 1000000",
                        function(0, f -> new MergeFunction.Sum(0, true))),
                new Fault(
                        "BIT_XOR as BIT_OR",
                        "SELECT g, BIT_XOR(id) FROM verify_faults GROUP BY g",
                        function(0, f -> new MergeFunction.Bits(1, BitOperation.OR))),
                new Fault(
                        "DISTINCT is lost in SUM",
                        "SELECT SUM(DISTINCT h) FROM verify_faults",
                        function(0, f -> new MergeFunction.Sum(0, false))),
                new Fault(
                        "DISTINCT counts by the first argument",
                        "SELECT COUNT(DISTINCT g, h) FROM verify_faults",
                        function(
                                0,
                                f -> new MergeFunction.CountDistinct(
                                        ((MergeFunction.CountDistinct) f).keys().subList(0, 1)))),
                new Fault(
                        "AVG has too few digits",
                        "SELECT g, AVG(d) FROM verify_faults GROUP BY g ORDER BY g",
                        aggregate(node ->
                                averages(node, one -> new Average(one.sumIndex(), one.countIndex(), 1, one.digits())))),
                new Fault(
                        "AVG divides by another count",
                        "SELECT g, AVG(d), COUNT(*) FROM verify_faults GROUP BY g ORDER BY g",
                        aggregate(node -> averages(
                                node,
                                one -> new Average(
                                        one.countIndex(), one.sumIndex(), one.innerDigits(), one.digits())))));
    }

    private static List<Fault> ofKeys() {
        return List.of(
                new Fault(
                        "a key is compared by another column",
                        "SELECT g, h, COUNT(*) FROM verify_faults GROUP BY g, h",
                        keys(keys -> List.of(
                                keys.get(0),
                                new GroupKey(
                                        keys.get(1).valueColumn(), keys.get(0).compare())))),
                new Fault(
                        "strings are compared by their bytes",
                        "SELECT s, COUNT(*) FROM verify_faults GROUP BY s",
                        keys(keys -> List.of(new GroupKey(
                                keys.get(0).valueColumn(), key(keys.get(0).valueColumn(), KeyComparison.BYTES))))),
                new Fault(
                        "columns are exchanged",
                        "SELECT g, COUNT(*) FROM verify_faults GROUP BY g",
                        completion(direct -> new Completion.Direct(List.of(1, 0)))));
    }

    private static List<Fault> ofOrders() {
        return List.of(
                new Fault(
                        "groups are sorted the other way",
                        "SELECT g, COUNT(*) FROM verify_faults GROUP BY g ORDER BY g DESC",
                        order(order -> new GroupOrder(
                                order.by().stream()
                                        .map(by -> new SortColumn(by.column(), !by.descending()))
                                        .toList(),
                                order.offset(),
                                order.count()))),
                new Fault(
                        "LIMIT of groups skips a row",
                        "SELECT g, SUM(d) FROM verify_faults GROUP BY g ORDER BY g LIMIT 3",
                        order(order -> new GroupOrder(order.by(), order.offset() + 1, order.count()))),
                new Fault(
                        "LIMIT of groups is too small",
                        "SELECT g, SUM(d) AS total FROM verify_faults GROUP BY g ORDER BY total DESC LIMIT 4",
                        order(order -> new GroupOrder(order.by(), order.offset(), order.count() - 1))),
                new Fault(
                        "rows are sorted the other way",
                        "SELECT g, d FROM verify_faults WHERE h > 3 ORDER BY id",
                        bothDescending()),
                new Fault(
                        "the second sort key is lost",
                        "SELECT id, g FROM verify_faults WHERE h > 3 ORDER BY g, id LIMIT 20",
                        sorted(keys -> keys.subList(0, 1), 0)),
                new Fault(
                        "partition queries return too few rows",
                        "SELECT id, d FROM verify_faults WHERE h > 3 ORDER BY d LIMIT 20",
                        tail(tail -> tail.with(tail.condition(), tail.rest().replaceFirst(" LIMIT \\d+", " LIMIT 2")))),
                new Fault(
                        "LIMIT of rows skips a row",
                        "SELECT d FROM verify_faults WHERE h > 3 ORDER BY id LIMIT 20",
                        sorted(keys -> keys, 1)));
    }

    private static List<Fault> ofQueries() {
        return List.of(
                new Fault(
                        "the condition is lost",
                        "SELECT g, COUNT(*) FROM verify_faults WHERE h > 3 GROUP BY g",
                        tail(tail -> tail.with("", tail.rest()))),
                new Fault(
                        "partition queries lose rows",
                        "SELECT id, d FROM verify_faults WHERE h > 3",
                        tail(tail -> tail.with(tail.condition(), tail.rest() + " LIMIT 7"))),
                new Fault(
                        "one partition is read again and again",
                        "SELECT g, SUM(d) FROM verify_faults GROUP BY g",
                        clauses(clause -> new FanOutPlan.TablePartitions(
                                Map.of("p0", "p0", "p1", "p0", "p2", "p0", "p3", "p0"), clause.after()))),
                new Fault(
                        "HAVING is lost",
                        "SELECT g, SUM(d) / COUNT(*) AS r FROM verify_faults GROUP BY g HAVING COUNT(*) > 57",
                        finalQuery(before -> before, after -> after.replaceAll(" WHERE .*", ""))),
                new Fault(
                        "an expression is wrong",
                        "SELECT g, SUM(d) / COUNT(*) AS r FROM verify_faults GROUP BY g",
                        finalQuery(before -> before.replace('/', '*'), after -> after)),
                new Fault(
                        "the final order is lost",
                        "SELECT g, SUM(d) / COUNT(*) AS r FROM verify_faults GROUP BY g ORDER BY r DESC",
                        finalQuery(before -> before, after -> after.replace(" DESC", ""))),
                new Fault(
                        "a block inside the statement loses groups",
                        "SELECT MAX(x.c), COUNT(*) FROM (SELECT g, COUNT(*) AS c FROM verify_faults GROUP BY g) x",
                        tail(tail -> tail.with("g > 2", tail.rest()))));
    }

    private static List<Fault> ofOperators() {
        return List.of(
                new Fault(
                        "SUM loses partial sums",
                        "SELECT g, SUM(d) FROM verify_faults GROUP BY g",
                        OperatorFault.SUM_LOSES_PARTIALS),
                new Fault(
                        "AVG divides by a count that is too large",
                        "SELECT g, AVG(d) FROM verify_faults GROUP BY g",
                        OperatorFault.AVG_COUNTS_ONE_MORE),
                new Fault(
                        "MIN compares numbers as texts",
                        "SELECT g, MIN(d) FROM verify_faults GROUP BY g",
                        OperatorFault.NUMBERS_ARE_TEXTS),
                new Fault(
                        "BIT_XOR keeps only the last partial result",
                        "SELECT g, BIT_XOR(id) FROM verify_faults GROUP BY g",
                        OperatorFault.BITS_ARE_REPLACED),
                new Fault(
                        "COUNT(DISTINCT) counts doubles",
                        "SELECT COUNT(DISTINCT h) FROM verify_faults",
                        OperatorFault.TUPLES_ARE_NOT_FOUND),
                new Fault(
                        "DISTINCT keeps doubles",
                        "SELECT DISTINCT g, h FROM verify_faults",
                        OperatorFault.GROUPS_ARE_NOT_FOUND),
                new Fault(
                        "a group's key is encoded without case",
                        "SELECT b, COUNT(*) FROM verify_faults GROUP BY b",
                        OperatorFault.BYTES_LOSE_CASE),
                new Fault(
                        "groups ignore DESC",
                        "SELECT g, COUNT(*) FROM verify_faults GROUP BY g ORDER BY g DESC",
                        OperatorFault.DESC_IS_IGNORED),
                new Fault(
                        "top-n of groups keeps the largest",
                        "SELECT g, h, SUM(d) AS total FROM verify_faults GROUP BY g, h ORDER BY total LIMIT 4",
                        OperatorFault.TOP_N_KEEPS_THE_LARGEST),
                new Fault(
                        "top-n drops the first row of each partition",
                        "SELECT id, d FROM verify_faults WHERE h > 3 ORDER BY d LIMIT 20",
                        OperatorFault.TOP_N_DROPS_FIRST_ROWS),
                new Fault(
                        "merge sort takes the largest row",
                        "SELECT d FROM verify_faults WHERE h > 3 ORDER BY id",
                        OperatorFault.MERGE_SORT_TAKES_THE_LARGEST),
                new Fault(
                        "merge sort swaps two rows",
                        "SELECT d FROM verify_faults WHERE h > 3 ORDER BY id",
                        OperatorFault.BATCHES_SWAP_TWO_ROWS),
                new Fault(
                        "an exchange sends a row twice in place of the next",
                        "SELECT id, d FROM verify_faults WHERE h > 3",
                        OperatorFault.BATCHES_REPEAT_A_ROW),
                new Fault(
                        "an exchange loses its last batch",
                        "SELECT a.id, b.t FROM verify_faults a JOIN verify_faults b WHERE a.h > 3 AND b.id < 100",
                        OperatorFault.EXCHANGE_LOSES_ITS_LAST_BATCH));
    }

    private static UnaryOperator<FanOutPlan> aggregate(UnaryOperator<Aggregate> mistake) {
        return merge(node -> mistake.apply((Aggregate) node));
    }

    private static UnaryOperator<FanOutPlan> function(int number, UnaryOperator<MergeFunction> mistake) {
        return aggregate(node -> {
            List<MergeFunction> functions = new ArrayList<>(node.functions());
            functions.set(number, mistake.apply(functions.get(number)));
            return new Aggregate(node.keys(), functions, node.averages(), node.scalar(), node.order());
        });
    }

    private static Aggregate averages(Aggregate node, UnaryOperator<Average> mistake) {
        return new Aggregate(
                node.keys(),
                node.functions(),
                node.averages().stream().map(mistake).toList(),
                node.scalar(),
                node.order());
    }

    private static UnaryOperator<FanOutPlan> keys(UnaryOperator<List<GroupKey>> mistake) {
        return aggregate(node -> new Aggregate(
                mistake.apply(node.keys()), node.functions(), node.averages(), node.scalar(), node.order()));
    }

    private static UnaryOperator<FanOutPlan> order(UnaryOperator<GroupOrder> mistake) {
        return aggregate(node -> new Aggregate(
                node.keys(), node.functions(), node.averages(), node.scalar(), mistake.apply(node.order())));
    }

    /** A mistake in the keys of sorted rows, or in their offset. */
    private static UnaryOperator<FanOutPlan> sorted(UnaryOperator<List<SortKey>> mistake, long skipped) {
        return merge(node -> rows(node, mistake, skipped));
    }

    private static MergeNode rows(MergeNode node, UnaryOperator<List<SortKey>> mistake, long skipped) {
        if (node instanceof TopRows top) {
            return new TopRows(mistake.apply(top.keys()), top.offset() + skipped, top.count(), top.visibleColumns());
        }
        Streamed rows = (Streamed) node;
        return new Streamed(
                mistake.apply(rows.keys()),
                rows.offset() + skipped,
                rows.count(),
                rows.visibleColumns(),
                rows.certain());
    }

    /** The partition queries sort in descending order, and so are their rows merged. */
    private static UnaryOperator<FanOutPlan> bothDescending() {
        UnaryOperator<FanOutPlan> merged = sorted(
                keys -> keys.stream()
                        .map(key -> new SortKey(key.column(), key.comparison(), key.pad(), true))
                        .toList(),
                0);
        UnaryOperator<FanOutPlan> queries = tail(tail -> tail.with(tail.condition(), tail.rest() + " DESC"));
        return plan -> queries.apply(merged.apply(plan));
    }

    private static SortKey key(int column, KeyComparison comparison) {
        return new SortKey(column, comparison, NO_PAD, false);
    }
}
