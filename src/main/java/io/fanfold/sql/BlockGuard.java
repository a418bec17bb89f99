package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import net.sf.jsqlparser.expression.Alias;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.select.Distinct;
import net.sf.jsqlparser.statement.select.FromItem;
import net.sf.jsqlparser.statement.select.GroupByElement;
import net.sf.jsqlparser.statement.select.Join;
import net.sf.jsqlparser.statement.select.OrderByElement;
import net.sf.jsqlparser.statement.select.ParenthesedFromItem;
import net.sf.jsqlparser.statement.select.PlainSelect;
import org.jspecify.annotations.Nullable;

/**
 * Allows only known parts of a parsed SELECT block, besides its expressions. Clauses of other products are refused,
 * because their words are plain names to the server. Stateless.
 */
final class BlockGuard {
    private BlockGuard() {}

    static void check(PlainSelect select) throws RefusedException {
        refuse(hasForeignHead(select), "a clause before the select list");
        refuse(hasForeignTail(select), "a clause after the FROM clause");
        refuse(hasForeignEnd(select), "a clause after ORDER BY");
        Distinct distinct = select.getDistinct();
        refuse(
                distinct != null
                        && (distinct.isUseUnique() || distinct.isUseDistinctRow() || some(distinct.getOnSelectItems())),
                "DISTINCT with more");
        GroupByElement group = select.getGroupBy();
        refuse(group != null && some(group.getGroupingSets()), "GROUP BY with more");
        if (select.getOrderByElements() != null) {
            for (OrderByElement element : select.getOrderByElements()) {
                refuse(
                        element.getNullOrdering() != null
                                || element.getWithFill() != null
                                || element.isMysqlWithRollup(),
                        "ORDER BY with more");
            }
        }
    }

    private static boolean hasForeignHead(PlainSelect select) {
        return select.getTop() != null
                || select.getSkip() != null
                || select.getFirst() != null
                || select.getBigQuerySelectQualifier() != null
                || select.getOracleHint() != null
                || select.getMySqlHintStraightJoin()
                || select.getMySqlSqlCalcFoundRows()
                || select.getMySqlSqlCacheFlag() != null
                || some(select.getWithItemsList())
                || some(select.getIntoTables())
                || select.getMySqlSelectIntoClause() != null
                || select.getIntoTempTable() != null;
    }

    private static boolean hasForeignTail(PlainSelect select) {
        return select.isUsingFinal()
                || select.isUsingOnly()
                || select.isUseWithNoLog()
                || select.isEmitChanges()
                || select.getSampleClause() != null
                || select.getPreWhere() != null
                || some(select.getLateralViews())
                || select.getKsqlWindow() != null
                || select.getOracleHierarchical() != null
                || select.getPreferringClause() != null
                || select.getQualify() != null
                || some(select.getWindowDefinitions())
                || some(select.getSettings())
                || select.getPivot() != null
                || select.getUnPivot() != null
                || select.getAlias() != null;
    }

    private static boolean hasForeignEnd(PlainSelect select) {
        return select.getOptimizeFor() != null
                || select.getForXmlPath() != null
                || select.getLimitBy() != null
                || select.getFetch() != null
                || select.getOffset() != null && select.getLimit() == null
                || select.getIsolation() != null
                || select.getMySqlProcedureAnalyse() != null
                || select.isOracleSiblings()
                || select.getForClause() != null
                || select.getOption() != null
                || some(select.getInterpolate())
                || select.getForMode() != null
                || select.isNoWait()
                || select.getWait() != null
                || select.isSkipLocked();
    }

    /**
     * Returns the tables of the FROM clause as the parser sees them, in order, and collects the join conditions.
     *
     * @param select the block
     * @param conditions receives the conditions after ON
     */
    static List<Table> tables(PlainSelect select, Collection<Expression> conditions) throws RefusedException {
        List<Table> tables = new ArrayList<>();
        collect(select.getFromItem(), select.getJoins(), tables, conditions);
        return tables;
    }

    private static void collect(
            @Nullable FromItem item, @Nullable List<Join> joins, List<Table> tables, Collection<Expression> conditions)
            throws RefusedException {
        item(item, tables, conditions);
        if (joins == null) {
            return;
        }
        for (Join join : joins) {
            boolean foreign = join.isAsOf()
                    || join.isApply()
                    || join.isFetch()
                    || join.isSemi()
                    || join.isAny()
                    || join.isAll()
                    || join.isNatural()
                    || join.isGlobal()
                    || join.isFull()
                    || join.isArray()
                    || join.isWindowJoin()
                    || join.getJoinHint() != null;
            refuse(foreign || join.getOnExpressions().size() > 1, "a join with more");
            item(join.getFromItem(), tables, conditions);
            conditions.addAll(join.getOnExpressions());
        }
    }

    private static void item(@Nullable FromItem item, List<Table> tables, Collection<Expression> conditions)
            throws RefusedException {
        if (item instanceof ParenthesedFromItem inner) {
            refuse(inner.getAlias() != null || inner.getSampleClause() != null, "a parenthesis with an alias");
            collect(inner.getFromItem(), inner.getJoins(), tables, conditions);
        } else if (item instanceof Table table && item.getClass() == Table.class) {
            refuse(
                    table.isTableVariable()
                            || table.getTimeTravel() != null
                            || table.getTimeTravelStrAfterAlias() != null
                            || table.getSampleClause() != null
                            || table.getSqlServerHints() != null,
                    "a table with more");
            tables.add(table);
        } else {
            throw new RefusedException(Reason.UNSUPPORTED_SYNTAX, "a FROM item that is no table");
        }
        refuse(item.getPivot() != null || item.getUnPivot() != null, "a pivot");
    }

    /** Whether the parser's alias is exactly the name in the masked text. */
    static boolean sameAlias(@Nullable Alias alias, @Nullable String text) {
        if (alias == null || text == null) {
            return alias == null && text == null;
        }
        return !some(alias.getAliasColumns()) && alias.getName().equals(text);
    }

    private static boolean some(@Nullable Collection<?> elements) {
        return elements != null && !elements.isEmpty();
    }

    private static void refuse(boolean refused, String what) throws RefusedException {
        if (refused) {
            throw new RefusedException(Reason.UNSUPPORTED_SYNTAX, what);
        }
    }
}
