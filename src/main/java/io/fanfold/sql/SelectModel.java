package io.fanfold.sql;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One SELECT block whose text was read reliably: every clause as a span of the original text, plus the facts that the
 * split rules need. The reader has checked all functions and constructs against its allowlists. Whether the block can
 * be split is decided later. Immutable.
 *
 * @param sql the block's text, decoded; every span indexes into it, except those of tables of a WITH clause
 * @param dialect how the text is read
 * @param with the text of the statement's WITH clause, as far as the block may use it; empty if it uses none of it
 * @param hint the statement's PARALLEL / NO_PARALLEL hint
 * @param approximate whether the hint APPROXIMATE allows sums of floating-point numbers and the like to be split
 * @param hintSpans the spans of those hints, which the server does not get, in order of position
 * @param hintComment the optimizer hint comment directly after SELECT, for Fanfold or the server
 * @param straightJoin whether SELECT STRAIGHT_JOIN was written: the tables are joined in their order
 * @param distinct whether SELECT DISTINCT was written
 * @param items the select list in order, at least one
 * @param selectList from the first item's start to the last item's end
 * @param tables all table instances, at least one: first those of the FROM clause and of the relations in it, in order,
 *     then those of subqueries. A common table expression is represented by the tables it reads.
 * @param derived the derived tables and common table expressions of the FROM clause in order
 * @param shown the spans of the subqueries of the select list, HAVING and ORDER BY, without their parentheses
 * @param comparesSets whether one of these is compared as a set: by IN, ANY, SOME, ALL or EXISTS
 * @param using whether any join has USING or is NATURAL, which merges columns of two tables into one
 * @param from from the word FROM to the end of the FROM clause
 * @param where the condition after WHERE
 * @param comparisons all comparisons of WHERE and the join conditions; empty if these do more than compare columns with
 *     literals and with each other, or the block has subqueries or derived tables
 * @param equalities the columns that WHERE and the join conditions require to be equal, as far as they were found
 * @param conjuncts the operands of AND in the join conditions and then in WHERE, in order of position
 * @param groupBy the grouping expressions in order, empty without GROUP BY
 * @param rollup whether GROUP BY has WITH ROLLUP
 * @param having the condition after HAVING
 * @param orderBy the sort expressions in order
 * @param limit the LIMIT clause
 */
public record SelectModel(
        String sql,
        SqlDialect dialect,
        String with,
        Hint hint,
        boolean approximate,
        List<TextRange> hintSpans,
        Optional<TextRange> hintComment,
        boolean straightJoin,
        boolean distinct,
        List<SelectItem> items,
        TextRange selectList,
        List<TableRef> tables,
        List<Derived> derived,
        List<TextRange> shown,
        boolean comparesSets,
        boolean using,
        TextRange from,
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

    /** Returns this block with another hint. */
    public SelectModel withHint(Hint other, boolean mayBeApproximate) {
        return new SelectModel(
                sql,
                dialect,
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
     * Returns the optimizer hint comment for the SELECT of a partition query, without the hints for Fanfold. Empty if
     * nothing is left.
     */
    public String serverHints() {
        return hintComment.map(this::forServer).orElse("");
    }

    /** Whether the server's hints may change more than its plan: variables, threads or the time limit. */
    public boolean hintsChangeMore() {
        return HintReader.changeMore(serverHints());
    }

    /** Returns a part of the text without the hints for Fanfold. */
    public String forServer(TextRange part) {
        StringBuilder text = new StringBuilder();
        int at = part.start();
        for (TextRange span : hintSpans) {
            if (part.contains(span)) {
                text.append(sql, at, span.start());
                at = span.end();
            }
        }
        return text.append(sql, at, part.end()).toString();
    }

    /**
     * Returns the words of a text.
     *
     * @param part an expression or statement with all its parentheses, made of parts of the statement's text
     */
    public SqlWords words(String part) {
        return SqlWords.of(part, dialect);
    }

    /** Returns the words of a part of the text, see {@link #words(String)}. */
    public SqlWords words(TextRange part) {
        return words(part.of(sql));
    }

    /** Returns the expressions of the select list, HAVING and ORDER BY, in this order. */
    private Stream<Expr> overGroups() {
        return Stream.of(
                        items.stream().map(SelectItem::expr),
                        having.stream(),
                        orderBy.stream().map(OrderItem::expr))
                .flatMap(exprs -> exprs);
    }

    /** Returns the aggregate calls of the select list, HAVING and ORDER BY, in this order. */
    public List<Expr.AggregateCall> aggregates() {
        return overGroups().flatMap(expr -> expr.aggregates().stream()).toList();
    }

    /** Whether the select list, HAVING or ORDER BY has an aggregate. */
    public boolean aggregated() {
        return !aggregates().isEmpty();
    }

    /** Whether the select list, HAVING or ORDER BY has a window function. */
    public boolean windowed() {
        return overGroups().anyMatch(expr -> !expr.windows().isEmpty());
    }

    /** Whether there are window functions over plain rows, not over groups. */
    public boolean windowsOverRows() {
        return windowed() && groupBy.isEmpty() && !aggregated();
    }

    /** Whether there are derived tables of which the server may merge some into the block. */
    public boolean mergesDerived() {
        return !derived.isEmpty()
                && tables.stream()
                        .anyMatch(table -> table.place() == TablePlace.DERIVED || table.place() == TablePlace.WITH);
    }

    /** Whether every row of the answer is one row of the tables. */
    public boolean plainRows() {
        return !distinct && !aggregated() && !windowed() && groupBy.isEmpty();
    }

    /** Whether the block may leave rows of its tables out. Without any condition, it reads the whole table. */
    public boolean mayLeaveRowsOut() {
        return where.isPresent() || tables.size() > 1;
    }

    /** Whether the block only selects and joins: no grouping, sorting, limiting or window functions. */
    public boolean plain() {
        return plainRows() && having.isEmpty() && orderBy.isEmpty() && limit.isEmpty();
    }

    /**
     * One element of the select list.
     *
     * @param expr the expression; for {@code *} and {@code t.*} an expression of kind {@link Expr.ExprKind#STAR}
     * @param alias the alias as the server sees it (unquoted), null if there is none
     * @param span expression and alias
     */
    public record SelectItem(Expr expr, @Nullable String alias, TextRange span) {}

    /**
     * One instance of a named table. Table functions, LATERAL and parenthesised VALUES are refused by the reader.
     *
     * @param nameSpan the name tokens {@code ident(.ident)*}, which a PARTITION clause directly follows; meaningless in
     *     a subquery
     * @param schema the database as written, unquoted; null if not written
     * @param name the table's name, unquoted
     * @param alias the alias, unquoted; null if none
     * @param nullable whether the table is on the nullable side of an outer join
     * @param partitions the statement's own PARTITION clause, empty if there is none
     * @param place the table's place in the statement
     */
    public record TableRef(
            TextRange nameSpan,
            @Nullable String schema,
            String name,
            @Nullable String alias,
            boolean nullable,
            Optional<PartitionClause> partitions,
            TablePlace place) {
        /** Returns the name that columns of this instance are qualified by: the alias, or the table's name without one. */
        public String shownName() {
            return alias == null ? name : alias;
        }

        /** Returns this instance in a text that begins {@code by} characters earlier. */
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

        /** Returns this instance as it is for an enclosing block. */
        TableRef at(TablePlace other, boolean nullableThere) {
            return new TableRef(nameSpan, schema, name, alias, nullableThere, partitions, other);
        }
    }

    /**
     * A PARTITION clause in the text of the statement.
     *
     * @param span from the word PARTITION to the closing parenthesis
     * @param names the partitions and subpartitions as written, unquoted; at least one, not checked
     */
    public record PartitionClause(TextRange span, List<String> names) {
        public PartitionClause {
            names = List.copyOf(names);
        }
    }

    /** The place of a table instance. */
    public enum TablePlace {
        /** In the block's own FROM clause. */
        FROM,
        /** In a derived table that only selects and joins, or in one inside it. */
        DERIVED,
        /**
         * In a common table expression that only selects and joins and that the block reads once. The name's span
         * indexes into the text of the WITH clause.
         */
        WITH,
        /** Anywhere else: each partition query reads it as a whole. */
        SUBQUERY
    }

    /**
     * A derived table, or a common table expression, in the block's own FROM clause.
     *
     * @param alias its name there
     * @param columns its columns' names in order, a-z in lower case; empty if a star hides them
     * @param block the query in its parentheses, whose spans index into its own text; empty if that has set operations
     * @param openAnswer why the server may return more than one answer, so that it must not be run more than once
     */
    public record Derived(
            String alias, Optional<List<String>> columns, Optional<SelectModel> block, Optional<String> openAnswer) {}

    /**
     * Values that a condition compares.
     *
     * @param columns the columns among them, at least one
     * @param literals the literals among them: numbers, also with a minus, strings, dates, and dates plus or minus an
     *     interval
     * @param pattern whether the literal is the pattern of a LIKE
     */
    public record Comparison(List<TextRange> columns, List<Expr> literals, boolean pattern) {
        public Comparison {
            columns = List.copyOf(columns);
            literals = List.copyOf(literals);
        }
    }

    /**
     * Two columns that are equal in every row for which a condition is true.
     *
     * @param chooses the tables, by the spans of their names, for which the condition selects the rows of an outer
     *     join; empty if it is true for every row of the result
     */
    public record Equality(Expr.ColumnRef left, Expr.ColumnRef right, Set<TextRange> chooses) {
        public Equality {
            chooses = Set.copyOf(chooses);
        }

        /** Whether the columns are equal in all rows of a table that contribute to the statement's result. */
        public boolean chooses(TableRef table) {
            return chooses.isEmpty() || chooses.contains(table.nameSpan());
        }
    }

    /**
     * An operand of the ANDs of a clause.
     *
     * @param chooses see {@link Equality#chooses}
     */
    public record Conjunct(Expr expr, Set<TextRange> chooses) {
        public Conjunct {
            chooses = Set.copyOf(chooses);
        }

        /** Returns its text, without parentheses around it. */
        public TextRange span() {
            return expr.span();
        }

        /** Returns the columns in it, without those of subqueries. */
        public List<Expr.ColumnRef> columns() {
            return expr.columns();
        }
    }

    /**
     * One element of ORDER BY.
     *
     * @param expr the sort expression
     * @param descending whether DESC was written
     * @param span the expression and its direction
     */
    public record OrderItem(Expr expr, boolean descending, TextRange span) {}

    /**
     * The LIMIT clause with literal numbers (anything else is refused by the reader).
     *
     * @param offset rows to skip, 0 or more
     * @param count rows to return, 0 or more
     * @param span from the word LIMIT to its end
     */
    public record Limit(long offset, long count, TextRange span) {}
}
