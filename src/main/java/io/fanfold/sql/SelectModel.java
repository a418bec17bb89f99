package io.fanfold.sql;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One SELECT block that was read faithfully: every part as a span of the original text, plus what the split rules need
 * to know about it. Everything on the white list of functions and constructs has been checked by the reader; what
 * remains to be decided is whether the block can be folded. Immutable.
 *
 * @param sql the block's text, decoded; every span indexes into it, but for those of tables of a WITH clause
 * @param with the text of the WITH clause that stands before the block's statement, as far as the block may use it; empty
 *     when it uses nothing of it
 * @param hint the statement's PARALLEL / NO_PARALLEL hint
 * @param approximate whether its hint APPROXIMATE lets sums of floating-point numbers and the like be split
 * @param hintSpans the spans of those hint comments, which are not for the server, in order of position
 * @param hintComment the optimizer hint comment right behind SELECT, whoever its hints are for
 * @param straightJoin whether SELECT STRAIGHT_JOIN was written: the tables are joined in their order
 * @param distinct whether SELECT DISTINCT was written
 * @param items the select list in order, at least one
 * @param selectList from the first item's start to the last item's end
 * @param tables all table instances, those of the FROM clause and of the relations in it in order, then those of
 *     subqueries; common table expressions are taken for what they read. At least one
 * @param derived the derived tables and common table expressions of the FROM clause in order
 * @param shown where the subqueries of the select list, HAVING and ORDER BY lie, without their parentheses
 * @param comparesSets whether one of these is compared as a set: by IN, ANY, SOME, ALL or EXISTS
 * @param using whether any join has USING or is NATURAL, which merges columns of two tables into one
 * @param from from the word FROM to the end of the FROM clause
 * @param where the condition after WHERE
 * @param comparisons all that WHERE and the join conditions compare; empty when they do more than comparing columns with
 *     literals and with each other, or the block holds subqueries or derived tables
 * @param equalities the columns that WHERE and the join conditions demand to be equal, as far as they were found
 * @param conjuncts the conditions that AND alone joins, of the join conditions and then of WHERE, in order of position
 * @param groupBy the grouping expressions in order, empty without GROUP BY
 * @param rollup whether WITH ROLLUP was written behind them
 * @param having the condition after HAVING
 * @param orderBy the sort expressions in order
 * @param limit the LIMIT clause
 */
public record SelectModel(
        String sql,
        String with,
        Hint hint,
        boolean approximate,
        List<Span> hintSpans,
        Optional<Span> hintComment,
        boolean straightJoin,
        boolean distinct,
        List<SelectItem> items,
        Span selectList,
        List<TableRef> tables,
        List<Derived> derived,
        List<Span> shown,
        boolean comparesSets,
        boolean using,
        Span from,
        Optional<Expr> where,
        Optional<List<Comparison>> comparisons,
        List<Equality> equalities,
        List<Conjunct> conjuncts,
        List<Expr> groupBy,
        boolean rollup,
        Optional<Expr> having,
        List<OrderItem> orderBy,
        Optional<Limit> limit) {

    public SelectModel {
        hintSpans = List.copyOf(hintSpans);
        items = List.copyOf(items);
        tables = List.copyOf(tables);
        derived = List.copyOf(derived);
        comparisons = comparisons.map(List::copyOf);
        equalities = List.copyOf(equalities);
        conjuncts = List.copyOf(conjuncts);
        shown = List.copyOf(shown);
        groupBy = List.copyOf(groupBy);
        orderBy = List.copyOf(orderBy);
        if (items.isEmpty() || tables.isEmpty()) {
            throw new IllegalArgumentException("a SELECT block needs items and tables");
        }
    }

    /** The same block under another hint. */
    public SelectModel withHint(Hint other, boolean mayBeApproximate) {
        return new SelectModel(
                sql,
                with,
                other,
                mayBeApproximate,
                hintSpans,
                hintComment,
                straightJoin,
                distinct,
                items,
                selectList,
                tables,
                derived,
                shown,
                comparesSets,
                using,
                from,
                where,
                comparisons,
                equalities,
                conjuncts,
                groupBy,
                rollup,
                having,
                orderBy,
                limit);
    }

    /**
     * The optimizer hint comment as it belongs behind the SELECT of a partition query: without the words for Fanfold.
     * Empty when there is none or nothing is left of it.
     */
    public String serverHints() {
        return hintComment.map(this::forServer).orElse("");
    }

    /** A part of the text without the words for Fanfold in it. */
    public String forServer(Span part) {
        StringBuilder text = new StringBuilder();
        int at = part.start();
        for (Span span : hintSpans) {
            if (part.contains(span)) {
                text.append(sql, at, span.start());
                at = span.end();
            }
        }
        return text.append(sql, at, part.end()).toString();
    }

    /** Whether any aggregate stands in the select list, HAVING or ORDER BY. */
    public boolean aggregated() {
        return items.stream().anyMatch(item -> !item.expr().aggregates().isEmpty())
                || having.map(expr -> !expr.aggregates().isEmpty()).orElse(false)
                || orderBy.stream().anyMatch(item -> !item.expr().aggregates().isEmpty());
    }

    /** Whether any window function stands in the select list, HAVING or ORDER BY. */
    public boolean windowed() {
        return items.stream().anyMatch(item -> !item.expr().windows().isEmpty())
                || having.map(expr -> !expr.windows().isEmpty()).orElse(false)
                || orderBy.stream().anyMatch(item -> !item.expr().windows().isEmpty());
    }

    /** Whether the block only selects and joins: no grouping, sorting, limiting or window functions. */
    public boolean plain() {
        return !distinct
                && !aggregated()
                && !windowed()
                && groupBy.isEmpty()
                && having.isEmpty()
                && orderBy.isEmpty()
                && limit.isEmpty();
    }

    /**
     * One element of the select list.
     *
     * @param expr the expression; for {@code *} and {@code t.*} an expression of kind {@link Expr.Kind#STAR}
     * @param alias the alias as the server sees it (unquoted), null when none was written
     * @param span expression and alias
     */
    public record SelectItem(Expr expr, @Nullable String alias, Span span) {}

    /**
     * One instance of a named table. Table functions, LATERAL and parenthesised VALUES are refused by the reader.
     *
     * @param nameSpan the name tokens {@code ident(.ident)*}; a PARTITION clause belongs right behind them. Of no meaning
     *     in a subquery
     * @param schema the database as written, unquoted; null when not written
     * @param name the table's name, unquoted
     * @param alias the alias, unquoted; null when none
     * @param nullable whether it stands on the nullable side of an outer join
     * @param partitions the statement's own PARTITION clause, empty when it has none
     * @param place where in the statement it stands
     */
    public record TableRef(
            Span nameSpan,
            @Nullable String schema,
            String name,
            @Nullable String alias,
            boolean nullable,
            Optional<PartitionClause> partitions,
            Place place) {
        /** The same instance in a text that begins that much earlier. */
        TableRef moved(int by) {
            return new TableRef(
                    nameSpan.moved(by),
                    schema,
                    name,
                    alias,
                    nullable,
                    partitions.map(clause -> new PartitionClause(clause.span().moved(by), clause.names())),
                    place);
        }

        /** The same instance as what it is for a block around it. */
        TableRef at(Place other, boolean nullableThere) {
            return new TableRef(nameSpan, schema, name, alias, nullableThere, partitions, other);
        }
    }

    /**
     * A PARTITION clause that the statement itself has.
     *
     * @param span from the word PARTITION to the closing parenthesis
     * @param names the partitions and sub-partitions as written, unquoted; at least one, not checked
     */
    public record PartitionClause(Span span, List<String> names) {
        public PartitionClause {
            names = List.copyOf(names);
        }
    }

    /** Where a table instance stands. */
    public enum Place {
        /** In the block's own FROM clause. */
        FROM,
        /** In a derived table that only selects and joins, or in one inside it. */
        DERIVED,
        /**
         * The same in a common table expression that the block reads once. The name's span indexes into the text of the
         * WITH clause.
         */
        WITH,
        /** Anywhere else: each partition query reads it as a whole. */
        SUBQUERY
    }

    /**
     * A derived table, or a common table expression, in the block's own FROM clause.
     *
     * @param alias its name there
     * @param columns its columns' names in order, a-z in lower case; empty when a star hides them
     * @param block what stands between its parentheses, its spans index into its own text; empty when that is several
     *     blocks with set operations between them
     * @param openAnswer why the server may answer it in more than one way, so that it must not be run more than once
     */
    public record Derived(
            String alias, Optional<List<String>> columns, Optional<SelectModel> block, Optional<String> openAnswer) {}

    /**
     * A column name in an expression.
     *
     * @param span the whole name
     * @param qualifier the table or schema.table before the name as written, unquoted, parts joined by a dot; null
     *     when unqualified
     * @param name the column's or alias's name, unquoted
     */
    public record ColumnRef(Span span, @Nullable String qualifier, String name) {}

    /**
     * Values that a condition compares.
     *
     * @param columns the columns among them, at least one
     * @param literals the literals among them as written: numbers, with a minus before negative ones, and strings
     * @param pattern whether the literal is a LIKE's
     */
    public record Comparison(List<Span> columns, List<String> literals, boolean pattern) {
        public Comparison {
            columns = List.copyOf(columns);
            literals = List.copyOf(literals);
        }
    }

    /**
     * Two columns that are equal wherever a condition holds.
     *
     * @param chooses the tables, by the spans of their names, of which the condition chooses the rows that an outer join joins;
     *     empty where it holds for every row
     */
    public record Equality(ColumnRef left, ColumnRef right, Set<Span> chooses) {
        public Equality {
            chooses = Set.copyOf(chooses);
        }

        /** Whether no other rows of a table go into what the statement shows than those for which the columns are equal. */
        public boolean chooses(TableRef table) {
            return chooses.isEmpty() || chooses.contains(table.nameSpan());
        }
    }

    /**
     * A condition that AND alone joins to the others of its clause.
     *
     * @param span its text, without parentheses around it
     * @param columns the columns in it, those of subqueries left out
     * @param chooses see {@link Equality#chooses}
     */
    public record Conjunct(Span span, List<ColumnRef> columns, Set<Span> chooses) {
        public Conjunct {
            columns = List.copyOf(columns);
            chooses = Set.copyOf(chooses);
        }
    }

    /**
     * An expression as an opaque piece of text.
     *
     * @param span the expression's text
     * @param kind what it is as a whole
     * @param columns every column name inside, in order of position, those inside aggregates included
     * @param aggregates every aggregate call inside, in order of position; aggregates never nest
     * @param windows every call of a window function inside
     * @param tokens the text as normalised tokens joined by one blank: keywords, unquoted and quoted identifiers and
     *     function names in lower case without quotes, literals as written; two expressions of one statement with equal tokens
     *     are the same expression
     */
    public record Expr(
            Span span,
            Kind kind,
            List<ColumnRef> columns,
            List<AggregateCall> aggregates,
            List<WindowCall> windows,
            String tokens) {
        public Expr {
            columns = List.copyOf(columns);
            aggregates = List.copyOf(aggregates);
            windows = List.copyOf(windows);
        }

        /** What an expression is as a whole (parentheses around it are looked through only for {@link #OTHER}). */
        public enum Kind {
            /** {@code *} or {@code t.*}. */
            STAR,
            /** Exactly one column name. */
            COLUMN,
            /** Exactly one aggregate call. */
            AGGREGATE,
            /** An unsigned integer literal; in GROUP BY and ORDER BY a position. */
            INTEGER,
            /** Any other literal. */
            LITERAL,
            OTHER
        }
    }

    /**
     * An aggregate call.
     *
     * @param span from the function's name to its closing parenthesis
     * @param function which
     * @param distinct whether DISTINCT was written
     * @param arguments the arguments' spans in order; empty for COUNT(*)
     * @param argumentTokens the arguments as normalised tokens, see {@link Expr#tokens()}
     * @param sortedBy what its ORDER BY sorts by, as such tokens without directions; empty without one
     * @param enclosing the operators and functions around it inside its expression, outermost first, upper case:
     *     function names, {@code + - * / DIV % MOD}, {@code NEG} for unary minus, {@code CASE}, {@code COMPARISON} for = < > <=
     *     >= <> <=> IN BETWEEN LIKE IS, {@code LOGIC} for AND OR NOT, {@code CAST AS CHAR}, {@code CAST AS DECIMAL},
     *     {@code CAST AS SIGNED} and so on, {@code OVER} for a window function and its window; plain parentheses do not appear
     */
    public record AggregateCall(
            Span span,
            AggregateFunction function,
            boolean distinct,
            List<Span> arguments,
            List<String> argumentTokens,
            List<String> sortedBy,
            List<String> enclosing) {
        public AggregateCall {
            arguments = List.copyOf(arguments);
            argumentTokens = List.copyOf(argumentTokens);
            sortedBy = List.copyOf(sortedBy);
            enclosing = List.copyOf(enclosing);
        }

        /** The same call without its star. */
        AggregateCall ofRows() {
            return new AggregateCall(span, function, distinct, List.of(), List.of(), sortedBy, enclosing);
        }
    }

    /**
     * A call of a window function: computed over the rows of the block's answer, after grouping. The aggregates inside
     * are the block's, the call itself is none.
     *
     * @param span from the function's name to the parenthesis that closes the window
     * @param function its name in upper case
     * @param arguments the arguments' spans in order; empty for COUNT(*)
     */
    public record WindowCall(Span span, String function, List<Span> arguments) {
        public WindowCall {
            arguments = List.copyOf(arguments);
        }
    }

    /** The aggregate functions the reader knows; any other one is refused there. */
    public enum AggregateFunction {
        COUNT,
        SUM,
        MIN,
        MAX,
        AVG,
        BIT_AND,
        BIT_OR,
        BIT_XOR,
        /** One of the values; no aggregate where nothing else groups. */
        ANY_VALUE,
        /** Also called VARIANCE. */
        VAR_POP,
        VAR_SAMP,
        /** Also called STD and STDDEV. */
        STDDEV_POP,
        STDDEV_SAMP,
        /** Like the next two without a merge rule. */
        GROUP_CONCAT,
        JSON_ARRAYAGG,
        JSON_OBJECTAGG;

        /** Whether the same rows give the same value in whatever order they come. */
        public boolean exact() {
            return switch (this) {
                case COUNT, SUM, MIN, MAX, AVG, BIT_AND, BIT_OR, BIT_XOR -> true;
                case ANY_VALUE,
                        VAR_POP,
                        VAR_SAMP,
                        STDDEV_POP,
                        STDDEV_SAMP,
                        GROUP_CONCAT,
                        JSON_ARRAYAGG,
                        JSON_OBJECTAGG -> false;
            };
        }

        /** Whether its values become values of JSON. */
        public boolean json() {
            return this == JSON_ARRAYAGG || this == JSON_OBJECTAGG;
        }

        /** Whether values of a group are put one behind the other. */
        public boolean joins() {
            return this == GROUP_CONCAT || json();
        }
    }

    /**
     * One element of ORDER BY.
     *
     * @param expr what is sorted by
     * @param descending whether DESC was written
     * @param span the expression and its direction
     */
    public record OrderItem(Expr expr, boolean descending, Span span) {}

    /**
     * The LIMIT clause with literal numbers (anything else is refused by the reader).
     *
     * @param offset rows to skip, 0 or more
     * @param count rows to give, 0 or more
     * @param span from the word LIMIT to its end
     */
    public record Limit(long offset, long count, Span span) {}

    /** The hint that a statement carries for Fanfold. */
    public sealed interface Hint {
        /** No hint. */
        record None() implements Hint {}

        /** {@code NO_PARALLEL}: never split. */
        record NoParallel() implements Hint {}

        /**
         * {@code PARALLEL} or {@code PARALLEL(n)}: split even below the cost gate.
         *
         * @param degree the wished degree, 1 or more; empty when not given
         */
        record Parallel(Optional<Integer> degree) implements Hint {}
    }
}
