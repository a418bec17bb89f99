package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.FunctionFacts.CallForm;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.Function;
import net.sf.jsqlparser.expression.JsonAggregateFunction;
import net.sf.jsqlparser.expression.JsonFunctionType;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.statement.select.AllColumns;
import net.sf.jsqlparser.statement.select.OrderByElement;
import org.jspecify.annotations.Nullable;

/**
 * Checks function calls: the function must be built in, deterministic, and written so that it cannot be a stored
 * function. Immutable, for one statement.
 *
 * @param list the statement
 * @param words the server's words
 */
record FunctionReader(TokenList list, WordLists words) {
    /**
     * Checks a call's name and everything else that the parser may have read in it.
     *
     * @return the name in upper case
     */
    String check(Function node, TextRange span) throws RefusedException {
        String name = String.valueOf(node.getName()).toUpperCase(Locale.ROOT);
        if (node.getMultipartName().size() != 1) {
            throw RefusedException.at(Reason.UNKNOWN_FUNCTION, name, span.start());
        }
        if (WordLists.sessionFunction(name)) {
            throw RefusedException.at(Reason.SESSION_FUNCTION, name, span.start());
        }
        boolean aggregate = WordLists.aggregate(name);
        boolean ofRollup = !words.isOfRollup(name) || list.tokens().stream().anyMatch(token -> token.is("ROLLUP"));
        if (!aggregate && !(words.safeFunction(name) && ofRollup)) {
            throw RefusedException.at(Reason.UNKNOWN_FUNCTION, name, span.start());
        }
        checkCall(name, span);
        boolean concat = name.equals("GROUP_CONCAT");
        boolean extra = node.getAttribute() != null
                || node.getAttributeColumn() != null
                || node.getChainedParameters() != null
                || node.getExtraKeyword() != null
                || node.getHavingClause() != null
                || node.getKeep() != null
                || node.getLimit() != null
                || node.getNullHandling() != null
                || node.getOnOverflowTruncate() != null
                || node.isEscaped()
                || node.isIgnoreNullsOutside()
                || node.isUnique()
                || node.isDistinct() && !aggregate
                || node.getNamedParameters() != null
                        && !(WordLists.hasForm(name, CallForm.FROM) || WordLists.hasForm(name, CallForm.IN))
                || node.getOrderByElements() != null && !concat
                || node.getKeywordArguments() != null
                        && !node.getKeywordArguments().isEmpty()
                        && !concat;
        if (extra) {
            throw RefusedException.at(Reason.UNSUPPORTED_SYNTAX, "a call with more: " + name, span.start());
        }
        return name;
    }

    /**
     * Checks that a call is the unquoted name directly followed by a parenthesis, and ends with its closing
     * parenthesis.
     */
    void checkCall(String name, TextRange span) throws RefusedException {
        int first = list.startingAt(span.start());
        int last = list.endingBy(span.end()) - 1;
        Token word = list.at(first);
        if (!word.is(name)
                || !list.at(first + 1).symbol("(")
                || !word.touches(list.at(first + 1))
                || list.closing(first + 1) != last
                || list.at(last).end() != span.end()) {
            throw RefusedException.at(Reason.UNKNOWN_FUNCTION, "the call of " + name, span.start());
        }
    }

    /** Returns the lists of arguments that the parser made of a call. */
    List<ExpressionList<?>> argumentLists(Function node) {
        List<ExpressionList<?>> lists = new ArrayList<>();
        if (node.getParameters() != null) {
            lists.add(node.getParameters());
        }
        if (node.getNamedParameters() != null) {
            lists.add(node.getNamedParameters());
        }
        return lists;
    }

    /** Whether the call is COUNT(*), whose star is no expression. */
    boolean countsRows(Function node) {
        ExpressionList<?> parameters = node.getParameters();
        return "COUNT".equalsIgnoreCase(node.getName())
                && !node.isDistinct()
                && parameters != null
                && parameters.size() == 1
                && parameters.get(0).getClass() == AllColumns.class;
    }

    /**
     * Whether the first argument is a unit's name, which the parser takes for a column. Anything else there is refused.
     */
    boolean firstIsUnit(Function node, String name) throws RefusedException {
        if (!WordLists.hasForm(name, CallForm.UNIT)) {
            return false;
        }
        ExpressionList<?> parameters = node.getParameters();
        Expression first = parameters == null || parameters.isEmpty() ? null : parameters.get(0);
        if (first == null
                || first instanceof Column column && column.getTable() != null
                || !IntervalGuard.unit(first.toString().toUpperCase(Locale.ROOT))) {
            throw new RefusedException(Reason.UNSUPPORTED_SYNTAX, name + " without a unit");
        }
        return true;
    }

    /** Requires that the parser read the parts of an aggregate call as its tokens are. */
    void checkAggregate(Function node, String name, TextRange span) throws RefusedException {
        CallParts parts = CallParts.of(list, span);
        if (node.isDistinct() != parts.distinct()) {
            throw RefusedException.at(Reason.NOT_FAITHFUL, "DISTINCT in " + name, span.start());
        }
        boolean separator = node.getKeywordArguments() != null
                && !node.getKeywordArguments().isEmpty();
        if (separator != parts.separator()) {
            throw RefusedException.at(Reason.NOT_FAITHFUL, "SEPARATOR in " + name, span.start());
        }
        ExpressionList<?> parameters = node.getParameters();
        int arguments = parameters == null ? 0 : parameters.size();
        checkParts(name, span, parts, arguments, node.getOrderByElements());
    }

    /** Requires the same of a JSON_ARRAYAGG or JSON_OBJECTAGG call, for which the parser has another class. */
    void checkAggregate(JsonAggregateFunction node, String name, TextRange span) throws RefusedException {
        checkCall(name, span);
        CallParts parts = CallParts.of(list, span);
        boolean extra = node.getFilterExpression() != null
                || node.getOnNullType() != null
                || node.getUniqueKeysType() != null
                || node.isUsingFormatJson()
                || node.isUsingKeyKeyword()
                || node.isUsingValueKeyword()
                || parts.distinct()
                || parts.separator();
        if (extra) {
            throw RefusedException.at(Reason.UNSUPPORTED_SYNTAX, "a call with more: " + name, span.start());
        }
        int arguments = jsonArguments(node).size();
        checkParts(name, span, parts, arguments, node.getExpressionOrderByElements());
    }

    /** Returns the arguments of a JSON_ARRAYAGG or JSON_OBJECTAGG call. */
    static List<Expression> jsonArguments(JsonAggregateFunction node) throws RefusedException {
        if (node.getType() == JsonFunctionType.ARRAY && node.getExpression() != null) {
            return List.of(node.getExpression());
        }
        if (node.getType() != JsonFunctionType.ARRAY
                && node.getKey() instanceof Expression key
                && node.getValue() instanceof Expression value) {
            return List.of(key, value);
        }
        throw new RefusedException(Reason.UNSUPPORTED_SYNTAX, "a JSON aggregate of another kind");
    }

    private void checkParts(
            String name, TextRange span, CallParts parts, int arguments, @Nullable List<OrderByElement> parsed)
            throws RefusedException {
        List<OrderByElement> order = parsed == null ? List.of() : parsed;
        if (parts.arguments().size() != arguments || parts.order().size() != order.size()) {
            throw RefusedException.at(Reason.NOT_FAITHFUL, "the arguments of " + name, span.start());
        }
        for (int i = 0; i < order.size(); i++) {
            if (!SortElement.of(list, parts.order().get(i)).directedAs(order.get(i))) {
                throw RefusedException.at(Reason.NOT_FAITHFUL, "the order in " + name, span.start());
            }
        }
    }
}
