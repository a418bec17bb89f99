package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Clauses.ClauseKind;
import io.fanfold.sql.Clauses.Range;
import io.fanfold.sql.SelectModel.Conjunct;
import io.fanfold.sql.SelectModel.Equality;
import io.fanfold.sql.SelectModel.Limit;
import io.fanfold.sql.SelectModel.OrderItem;
import io.fanfold.sql.SelectModel.TableRef;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.select.OrderByElement;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.SelectItem;
import org.jspecify.annotations.Nullable;

/**
 * Builds the model from two readings of one statement, by tokens and by the parser, and refuses it if they differ.
 * Spans and names are those of the tokens; the structure of expressions is that of the parser. An instance reads one
 * statement once.
 */
final class ModelReader {
    private static final int LIMIT_DIGITS = 18;

    private final SqlDialect dialect;
    private final TokenList list;
    private final String masked;
    private final PlainSelect select;
    private final Clauses clauses;
    private final NameGuard names;
    private final ExprReader expressions;
    private final Relations relations;
    private final SelectOptions options;
    private final PartitionClauses partitions;
    private final NormalText normalised;
    private final List<Expr> conditions = new ArrayList<>();
    private final List<Conjunct> conjuncts = new ArrayList<>();
    private final List<Equality> equalities = new ArrayList<>();

    /**
     * Creates the reader of one block.
     *
     * @param options the options that were taken out of the block's tokens first
     * @param partitions the remaining tokens, and the PARTITION clauses taken out of them
     */
    ModelReader(
            SelectOptions options,
            PartitionClauses partitions,
            String masked,
            PlainSelect select,
            SqlDialect dialect,
            Relations relations)
            throws RefusedException {
        this.options = options;
        this.relations = relations;
        this.partitions = partitions;
        this.list = partitions.list();
        this.masked = masked;
        this.select = select;
        this.clauses = Clauses.of(list);
        this.dialect = dialect;
        WordLists words = WordLists.of(dialect);
        this.names = new NameGuard(words);
        this.normalised = new NormalText(list, words);
        this.expressions = new ExprReader(list, words, normalised, relations);
    }

    /**
     * @param text the span of the block's text in that of the enclosing query
     */
    InnerQuery read(TextRange text) throws RefusedException {
        BlockGuard.check(select);
        same(clauses.distinct(), select.getDistinct() != null, "DISTINCT");
        FromReader from = new FromReader(list, names, partitions, normalised, clauses.range(ClauseKind.FROM));
        List<TableRef> named = from.read();
        compareTables(named, from);
        relations.expand(list, named);
        HintReader.Hints hints = HintReader.read(list.sql(), list.hint());
        Range fromRange = clauses.range(ClauseKind.FROM);
        ShownSubqueries shown = new ShownSubqueries(list, clauses);
        Range selectRange = clauses.range(ClauseKind.SELECT);
        SelectModel model = new SelectModel(
                list.sql(),
                dialect,
                relations.with(),
                hints.hint(),
                hints.words().contains(HintWord.APPROXIMATE),
                hints.spans(),
                list.hint(),
                options.straightJoin(),
                clauses.distinct(),
                items(selectRange),
                list.span(selectRange.from(), selectRange.to()),
                relations.tables(),
                relations.derived(),
                shown.bodies(relations),
                shown.compareSets(),
                from.using(),
                span(fromRange, named),
                where(),
                relations.onlyTables() ? ComparisonReader.read(conditions) : Optional.empty(),
                equalities,
                conjuncts,
                groupBy(),
                clauses.rollup(),
                condition(ClauseKind.HAVING, select.getHaving(), true),
                orderBy(),
                limit());
        ShownSubqueries.refuseInsideCalls(model);
        return new InnerQuery(
                text,
                List.of(model),
                names(model),
                NonDeterminism.of(model),
                model.tables(),
                relations.named(),
                relations.parts(),
                relations.common());
    }

    /**
     * Returns the span of the FROM clause with its keyword. A PARTITION clause at its end has no tokens in the list.
     */
    private TextRange span(Range from, List<TableRef> named) {
        TextRange tokens = list.span(from.from() - 1, from.to());
        int end = named.stream()
                .flatMap(table -> table.partitions().stream())
                .mapToInt(clause -> clause.span().end())
                .reduce(tokens.end(), Math::max);
        return new TextRange(tokens.start(), end);
    }

    /** Returns the names of a block's columns in order, a-z in lower case; empty if a star hides them. */
    private static Optional<List<String>> names(SelectModel model) {
        List<String> names = new ArrayList<>();
        for (SelectModel.SelectItem item : model.items()) {
            Expr expr = item.expr();
            if (expr.kind() == Expr.ExprKind.STAR) {
                return Optional.empty();
            }
            String name = expr.kind() == Expr.ExprKind.COLUMN
                    ? expr.columns().get(0).name()
                    : item.span().of(model.sql());
            names.add(TokenList.asciiLower(item.alias() == null ? name : item.alias()));
        }
        return Optional.of(names);
    }

    private void compareTables(List<TableRef> tables, FromReader from) throws RefusedException {
        List<Expression> parsedConditions = new ArrayList<>();
        List<Table> parsed = BlockGuard.tables(select, parsedConditions);
        same(tables.size(), parsed.size(), "the number of tables");
        for (int i = 0; i < tables.size(); i++) {
            TableRef table = tables.get(i);
            int nameEnd = list.endingBy(table.nameSpan().end());
            same(table.nameSpan().of(masked), parsed.get(i).getFullyQualifiedName(), "a table's name");
            String alias = null;
            if (table.alias() != null) {
                Token token = list.at(list.at(nameEnd).is("AS") ? nameEnd + 1 : nameEnd);
                alias = token.span().of(masked);
            }
            if (!BlockGuard.sameAlias(parsed.get(i).getAlias(), alias)) {
                throw differs("a table's alias");
            }
        }
        long on = from.conditions().stream()
                .filter(condition -> condition.on().isPresent())
                .count();
        same(on, (long) parsedConditions.size(), "the number of join conditions");
        Iterator<Expression> next = parsedConditions.iterator();
        for (FromReader.JoinCondition condition : from.conditions()) {
            if (condition.on().isPresent()) {
                required(expressions.read(next.next(), condition.on().get(), false), condition.chooses());
            }
            equalities.addAll(condition.merged());
        }
    }

    /** Adds what a condition requires. */
    private void required(Expr condition, Set<TextRange> chooses) {
        conditions.add(condition);
        EqualityReader.conjuncts(condition).forEach(part -> conjuncts.add(new Conjunct(part, chooses)));
        equalities.addAll(EqualityReader.read(condition, chooses));
    }

    private List<SelectModel.SelectItem> items(Range range) throws RefusedException {
        List<Range> parts = Clauses.parts(list, range);
        List<SelectItem<?>> parsed = select.getSelectItems();
        same(parts.size(), parsed.size(), "the number of select items");
        List<SelectModel.SelectItem> items = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            items.add(item(parts.get(i), parsed.get(i)));
        }
        return items;
    }

    private SelectModel.SelectItem item(Range part, SelectItem<?> parsed) throws RefusedException {
        int end = part.to();
        String alias = null;
        String aliasText = null;
        if (parsed.getAlias() != null) {
            Token token = list.at(part.to() - 1);
            boolean as = list.at(part.to() - 2).is("AS");
            end = part.to() - (as ? 2 : 1);
            alias = alias(token, as);
            aliasText = token.span().of(masked);
        }
        if (!BlockGuard.sameAlias(parsed.getAlias(), aliasText)) {
            throw differs("an alias");
        }
        if (end <= part.from()) {
            throw differs("an item without expression");
        }
        Expr expr = expressions.read(parsed.getExpression(), new Range(part.from(), end), true);
        return new SelectModel.SelectItem(expr, alias, list.span(part.from(), part.to()));
    }

    private String alias(Token token, boolean as) throws RefusedException {
        if (token.kind() == Token.TokenKind.STRING && as) {
            String content = list.sql().substring(token.start() + 1, token.end() - 1);
            boolean plain = content.chars().noneMatch(c -> c < ' ' || c == '\\' || c == '\'' || c == '"');
            if (plain && !content.isEmpty()) {
                return content;
            }
        } else if (token.named()) {
            names.check(token);
            return token.name(list.sql());
        }
        throw RefusedException.at(Reason.UNSUPPORTED_SYNTAX, "the alias " + token.text(), token.start());
    }

    private Optional<Expr> condition(ClauseKind clause, @Nullable Expression parsed, boolean aggregates)
            throws RefusedException {
        same(clauses.has(clause), parsed != null, "the clause " + clause);
        return parsed == null
                ? Optional.empty()
                : Optional.of(expressions.read(parsed, clauses.range(clause), aggregates));
    }

    private Optional<Expr> where() throws RefusedException {
        Optional<Expr> where = condition(ClauseKind.WHERE, select.getWhere(), false);
        where.ifPresent(expr -> required(expr, Set.of()));
        return where;
    }

    private List<Expr> groupBy() throws RefusedException {
        same(clauses.has(ClauseKind.GROUP), select.getGroupBy() != null, "GROUP BY");
        same(
                clauses.rollup(),
                select.getGroupBy() != null && select.getGroupBy().isMysqlWithRollup(),
                "WITH ROLLUP");
        List<Expr> keys = new ArrayList<>();
        if (select.getGroupBy() != null) {
            List<Range> parts = Clauses.parts(list, clauses.range(ClauseKind.GROUP));
            ExpressionList<?> list = select.getGroupBy().getGroupByExpressionList();
            same(parts.size(), list.size(), "the number of grouping expressions");
            List<? extends Expression> parsed = Operands.elements(list);
            for (int i = 0; i < parts.size(); i++) {
                keys.add(expressions.read(parsed.get(i), parts.get(i), false));
            }
        }
        return keys;
    }

    private List<OrderItem> orderBy() throws RefusedException {
        List<OrderByElement> parsed = select.getOrderByElements();
        same(clauses.has(ClauseKind.ORDER), parsed != null, "ORDER BY");
        List<OrderItem> items = new ArrayList<>();
        if (parsed != null) {
            List<Range> parts = Clauses.parts(list, clauses.range(ClauseKind.ORDER));
            same(parts.size(), parsed.size(), "the number of sort expressions");
            for (int i = 0; i < parts.size(); i++) {
                Range part = parts.get(i);
                SortElement element = SortElement.of(list, part);
                if (!element.directedAs(parsed.get(i))) {
                    throw differs("a sort direction");
                }
                if (element.key().from() >= element.key().to()) {
                    throw differs("a sort expression");
                }
                items.add(new OrderItem(
                        expressions.read(parsed.get(i).getExpression(), element.key(), true),
                        element.descending(),
                        list.span(part.from(), part.to())));
            }
        }
        return items;
    }

    /** Reads {@code LIMIT n}, {@code LIMIT m, n} or {@code LIMIT n OFFSET m} with plain numbers. */
    private Optional<Limit> limit() throws RefusedException {
        same(clauses.has(ClauseKind.LIMIT), select.getLimit() != null, "LIMIT");
        if (!clauses.has(ClauseKind.LIMIT)) {
            return Optional.empty();
        }
        Range range = clauses.range(ClauseKind.LIMIT);
        TextRange span = list.span(range.from() - 1, range.to());
        int size = range.to() - range.from();
        Token middle = list.at(range.from() + 1);
        long first = number(list.at(range.from()));
        if (size == 1) {
            return Optional.of(new Limit(0, first, span));
        }
        if (size == 3 && middle.symbol(",")) {
            return Optional.of(new Limit(first, number(list.at(range.from() + 2)), span));
        }
        if (size == 3 && middle.is("OFFSET")) {
            return Optional.of(new Limit(number(list.at(range.from() + 2)), first, span));
        }
        throw RefusedException.at(Reason.UNSUPPORTED_SYNTAX, "LIMIT with more", span.start());
    }

    private static long number(Token token) throws RefusedException {
        boolean plain = token.kind() == Token.TokenKind.NUMBER
                && token.text().length() <= LIMIT_DIGITS
                && token.text().chars().allMatch(c -> c >= '0' && c <= '9');
        if (!plain) {
            throw RefusedException.at(Reason.UNSUPPORTED_SYNTAX, "LIMIT without a plain number", token.start());
        }
        return Long.parseLong(token.text());
    }

    private static void same(Object ours, Object parsers, String what) throws RefusedException {
        if (!ours.equals(parsers)) {
            throw differs(what);
        }
    }

    private static RefusedException differs(String what) {
        return new RefusedException(Reason.NOT_FAITHFUL, what + " is read in two ways");
    }
}
