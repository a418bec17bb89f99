package io.fanfold.plan;

import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.FanOutPlan.Completion;
import io.fanfold.plan.MergeNode.GroupKey;
import io.fanfold.plan.MergeNode.MergeFunction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Prints plans as text for logs, golden tests and people. The text contains SQL of the statement. */
public final class PlanPrinter {
    /** Stands for each part. */
    private static final Part ANY = new Part(0, List.of(new Partition("p", "p", 0)));

    private PlanPrinter() {}

    /** Returns the plan in lines: the partition query and merge of each block, and the final step. */
    public static List<String> print(StatementPlan plan) {
        return print(plan, Collections.nCopies(plan.blocks().size(), ANY));
    }

    /**
     * Returns the plan in lines, each a word, a colon and a text.
     *
     * @param parts a part of each block, whose partition query is shown
     */
    public static List<String> print(StatementPlan plan, List<Part> parts) {
        List<String> lines = new ArrayList<>();
        StringBuilder answer = new StringBuilder();
        for (int i = 0; i < plan.blocks().size(); i++) {
            FanOutPlan block = plan.blocks().get(i);
            lines.add("partition: " + block.partitionQuery(parts.get(i)));
            block.filters().found().forEach(filter -> lines.add("filter: " + filter.column() + " by " + filter.keys()));
            block.filters().refused().forEach(why -> lines.add("no filter: " + why));
            lines.add("merge: " + merge(block.merge()));
            answer.append(plan.texts().get(i)).append(completed(block.completion()));
        }
        answer.append(plan.texts().get(plan.blocks().size()));
        lines.add("answer: " + answer + (plan.hasFinalQuery() ? "" : ", text as the client's")
                + (plan.onWorker() ? ", in a worker's snapshot" : ""));
        return lines;
    }

    private static String merge(MergeNode node) {
        if (node instanceof MergeNode.TopRows top) {
            return "rows " + top.offset() + ".." + (top.offset() + top.count()) + " by " + keys(top.keys())
                    + ", columns 0.." + (top.visibleColumns() - 1);
        }
        if (node instanceof MergeNode.Concatenate rows) {
            return "concatenated rows, columns 0.." + (rows.columns() - 1);
        }
        if (node instanceof MergeNode.Streamed rows) {
            return streamed(rows);
        }
        MergeNode.Aggregate aggregate = (MergeNode.Aggregate) node;
        String keys = aggregate.keys().stream().map(PlanPrinter::groupKey).collect(Collectors.joining(", "));
        String aggregates =
                aggregate.functions().stream().map(PlanPrinter::aggregate).collect(Collectors.joining(", "));
        return (aggregate.scalar() ? "scalar" : "groups by [" + keys + "]") + " [" + aggregates + "]"
                + averages(aggregate)
                + order(aggregate);
    }

    private static String averages(MergeNode.Aggregate aggregate) {
        return aggregate.averages().isEmpty()
                ? ""
                : aggregate.averages().stream()
                        .map(average -> average.sumIndex() + "/" + average.countIndex() + " to " + average.digits()
                                + " of " + average.innerDigits() + " digits")
                        .collect(Collectors.joining(", ", " averages [", "]"));
    }

    private static String order(MergeNode.Aggregate aggregate) {
        MergeNode.GroupOrder order = aggregate.order();
        String by = order.by().isEmpty()
                ? ""
                : order.by().stream()
                        .map(sorted -> sorted.column() + (sorted.descending() ? " desc" : ""))
                        .collect(Collectors.joining(", ", " sorted by [", "]"));
        if (order.by()
                .equals(MergeNode.GroupOrder.byKeys(aggregate.keys().size()).by())) {
            by = order.by().isEmpty() ? "" : " sorted";
        }
        return by + (order.all() ? "" : ", rows " + order.offset() + ".." + (order.offset() + order.count()));
    }

    private static String streamed(MergeNode.Streamed rows) {
        String range = rows.count() == Long.MAX_VALUE
                ? "rows"
                : "rows " + rows.offset() + ".." + (rows.offset() + rows.count());
        return range
                + (rows.keys().isEmpty()
                        ? " in the order of partitions"
                        : " of groups of partitions by " + keys(rows.keys()))
                + ", columns 0.." + (rows.visibleColumns() - 1) + (rows.certain() ? ", streamed" : ", buffered");
    }

    private static String groupKey(GroupKey key) {
        return key.valueColumn()
                + key.compare().map(compare -> " as " + key(compare)).orElse(" dependent");
    }

    private static String keys(List<SortKey> keys) {
        return keys.stream().map(PlanPrinter::key).collect(Collectors.joining(", ", "[", "]"));
    }

    private static String key(SortKey key) {
        String pad = key.pad().length == 0 ? "" : " " + HexFormat.of().formatHex(key.pad());
        return key.comparison().name().toLowerCase(Locale.ROOT) + "(" + key.column() + pad + ")"
                + (key.descending() ? " desc" : "");
    }

    private static String aggregate(MergeFunction aggregate) {
        if (aggregate instanceof MergeFunction.Sum sum) {
            return (sum.zeroWhenEmpty() ? "count(" : "sum(") + sum.column() + ")";
        }
        if (aggregate instanceof MergeFunction.Min min) {
            return "min(" + min.column() + " by " + key(min.compare()) + ")";
        }
        if (aggregate instanceof MergeFunction.Max max) {
            return "max(" + max.column() + " by " + key(max.compare()) + ")";
        }
        if (aggregate instanceof MergeFunction.Bits bits) {
            return "bit_" + bits.operation().name().toLowerCase(Locale.ROOT) + "(" + bits.column() + ")";
        }
        if (aggregate instanceof MergeFunction.SumDouble sum) {
            return "sum of doubles(" + sum.column() + ")";
        }
        if (aggregate instanceof MergeFunction.AnyValue any) {
            return (any.skipsNull() ? "any but null(" : "any(") + any.column() + ")";
        }
        if (aggregate instanceof MergeFunction.Variance variance) {
            return variance.function().name().toLowerCase(Locale.ROOT) + "(" + variance.count() + ", " + variance.mean()
                    + ", " + variance.variance() + ")";
        }
        if (aggregate instanceof MergeFunction.SumDistinct sum) {
            return "sum(distinct " + key(sum.key()) + ")";
        }
        return "count(distinct " + keys(((MergeFunction.CountDistinct) aggregate).keys()) + ")";
    }

    private static String completed(Completion completion) {
        if (completion instanceof Completion.Direct direct) {
            return "columns " + direct.columns();
        }
        if (completion instanceof Completion.FinalQuery query) {
            String encodings =
                    query.encodings().stream().map(PlanPrinter::encoding).collect(Collectors.joining(", "));
            return query.beforeTable() + "{" + encodings + "} ff" + query.afterTable()
                    + query.portions().map(PlanPrinter::portions).orElse("");
        }
        return "as they are";
    }

    private static String portions(FanOutPlan.Portions portions) {
        return portions.equals(FanOutPlan.Portions.ALL)
                ? ", in portions"
                : ", in portions, rows " + portions.offset() + ".." + (portions.offset() + portions.count())
                        + " of all";
    }

    private static String encoding(ColumnEncoding encoding) {
        if (encoding instanceof ColumnEncoding.TypedEncoding typed) {
            return typed.declaration();
        }
        if (encoding instanceof ColumnEncoding.TextEncoding characters) {
            return "text " + characters.collation() + (characters.atLeast() > 0 ? " of " + characters.atLeast() : "");
        }
        return "bytes";
    }
}
