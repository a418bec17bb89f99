package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Expr.LiteralType;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import net.sf.jsqlparser.expression.AnalyticExpression;
import net.sf.jsqlparser.expression.BinaryExpression;
import net.sf.jsqlparser.expression.BooleanValue;
import net.sf.jsqlparser.expression.CaseExpression;
import net.sf.jsqlparser.expression.CastExpression;
import net.sf.jsqlparser.expression.CollateExpression;
import net.sf.jsqlparser.expression.DateTimeLiteralExpression;
import net.sf.jsqlparser.expression.DateUnitExpression;
import net.sf.jsqlparser.expression.DoubleValue;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.ExtractExpression;
import net.sf.jsqlparser.expression.Function;
import net.sf.jsqlparser.expression.IntervalExpression;
import net.sf.jsqlparser.expression.JsonAggregateFunction;
import net.sf.jsqlparser.expression.JsonFunction;
import net.sf.jsqlparser.expression.LongValue;
import net.sf.jsqlparser.expression.NotExpression;
import net.sf.jsqlparser.expression.NullValue;
import net.sf.jsqlparser.expression.SignedExpression;
import net.sf.jsqlparser.expression.StringValue;
import net.sf.jsqlparser.expression.TimeKeyExpression;
import net.sf.jsqlparser.expression.TrimFunction;
import net.sf.jsqlparser.expression.operators.arithmetic.Addition;
import net.sf.jsqlparser.expression.operators.arithmetic.Division;
import net.sf.jsqlparser.expression.operators.arithmetic.IntegerDivision;
import net.sf.jsqlparser.expression.operators.arithmetic.Modulo;
import net.sf.jsqlparser.expression.operators.arithmetic.Multiplication;
import net.sf.jsqlparser.expression.operators.arithmetic.Subtraction;
import net.sf.jsqlparser.expression.operators.conditional.AndExpression;
import net.sf.jsqlparser.expression.operators.conditional.OrExpression;
import net.sf.jsqlparser.expression.operators.relational.Between;
import net.sf.jsqlparser.expression.operators.relational.CosineSimilarity;
import net.sf.jsqlparser.expression.operators.relational.EqualsTo;
import net.sf.jsqlparser.expression.operators.relational.GreaterThan;
import net.sf.jsqlparser.expression.operators.relational.GreaterThanEquals;
import net.sf.jsqlparser.expression.operators.relational.InExpression;
import net.sf.jsqlparser.expression.operators.relational.IsBooleanExpression;
import net.sf.jsqlparser.expression.operators.relational.IsNullExpression;
import net.sf.jsqlparser.expression.operators.relational.IsUnknownExpression;
import net.sf.jsqlparser.expression.operators.relational.LikeExpression;
import net.sf.jsqlparser.expression.operators.relational.MinorThan;
import net.sf.jsqlparser.expression.operators.relational.MinorThanEquals;
import net.sf.jsqlparser.expression.operators.relational.NotEqualsTo;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.schema.Column;

/**
 * Builds an {@link Expr} of the parser's tree of one expression. Its nodes must be of the classes of an allowlist. Any
 * other class, including those of later parser versions, is refused. An instance serves one expression once.
 */
final class ExprNodes {
    /** Makes expressions of nodes of one class. */
    private interface Visitor {
        Expr visit(ExprNodes nodes, Expression node) throws RefusedException;
    }

    private static final Map<Class<?>, Visitor> VISITORS = visitors();

    /** Classes that bind more loosely than operands of BETWEEN may. */
    private static final Set<Class<?>> LOOSE = Set.of(
            AndExpression.class,
            OrExpression.class,
            NotExpression.class,
            EqualsTo.class,
            NotEqualsTo.class,
            GreaterThan.class,
            GreaterThanEquals.class,
            MinorThan.class,
            MinorThanEquals.class,
            CosineSimilarity.class,
            LikeExpression.class,
            Between.class,
            InExpression.class,
            IsNullExpression.class,
            IsBooleanExpression.class,
            IsUnknownExpression.class);

    /** Reasons for classes that are not on the list, if there is a better reason than syntax. */
    private static final Map<Class<?>, Reason> REASONS = Map.of(JsonFunction.class, Reason.UNKNOWN_FUNCTION);

    private final Operands operands;
    private final ExprBuilder builder;
    private final CallBuilder calls;

    /**
     * @param relations the block's subqueries
     * @param cursor at the expression's first token
     */
    ExprNodes(
            TokenList list,
            WordLists words,
            Relations relations,
            TokenCursor cursor,
            boolean aggregatesAllowed,
            TextRange within) {
        this.operands = new Operands(this::visit, list, cursor, within);
        this.builder = new ExprBuilder(words, relations, operands);
        this.calls = new CallBuilder(words, operands, aggregatesAllowed);
    }

    Expr visit(Expression node) throws RefusedException {
        Visitor visitor = VISITORS.get(node.getClass());
        if (visitor == null) {
            throw new RefusedException(
                    REASONS.getOrDefault(node.getClass(), Reason.UNSUPPORTED_SYNTAX),
                    "the expression " + node.getClass().getSimpleName());
        }
        return visitor.visit(this, node);
    }

    private static boolean loose(Expression node) {
        return LOOSE.contains(node.getClass());
    }

    private static Map<Class<?>, Visitor> visitors() {
        Map<Class<?>, Visitor> visitors = new HashMap<>();
        literals(visitors);
        arithmetic(visitors);
        conditions(visitors);
        visitors.put(Column.class, (nodes, node) -> nodes.builder.column((Column) node));
        visitors.put(DateUnitExpression.class, (nodes, node) -> nodes.builder.dateUnit((DateUnitExpression) node));
        visitors.put(
                ParenthesedExpressionList.class,
                (nodes, node) -> nodes.builder.list((ParenthesedExpressionList<?>) node));
        visitors.put(CaseExpression.class, (nodes, node) -> nodes.builder.cases((CaseExpression) node));
        visitors.put(CastExpression.class, (nodes, node) -> nodes.builder.cast((CastExpression) node));
        visitors.put(Function.class, (nodes, node) -> nodes.calls.function((Function) node));
        visitors.put(
                JsonAggregateFunction.class, (nodes, node) -> nodes.calls.jsonAggregate((JsonAggregateFunction) node));
        visitors.put(AnalyticExpression.class, (nodes, node) -> nodes.calls.window((AnalyticExpression) node));
        visitors.put(TrimFunction.class, (nodes, node) -> nodes.calls.trim((TrimFunction) node));
        visitors.put(TimeKeyExpression.class, (nodes, node) -> nodes.calls.moment((TimeKeyExpression) node));
        visitors.put(IntervalExpression.class, (nodes, node) -> nodes.builder.interval((IntervalExpression) node));
        visitors.put(ExtractExpression.class, (nodes, node) -> nodes.calls.extract((ExtractExpression) node));
        visitors.put(
                CollateExpression.class,
                (nodes, node) -> nodes.builder.collate(((CollateExpression) node).getLeftExpression()));
        return Map.copyOf(visitors);
    }

    private static void literals(Map<Class<?>, Visitor> visitors) {
        visitors.put(StringValue.class, (nodes, node) -> nodes.builder.literal(LiteralType.STRING));
        visitors.put(LongValue.class, (nodes, node) -> nodes.builder.literal(LiteralType.INTEGER));
        visitors.put(DoubleValue.class, (nodes, node) -> nodes.builder.number());
        visitors.put(NullValue.class, (nodes, node) -> nodes.builder.literal(LiteralType.NULL));
        visitors.put(BooleanValue.class, (nodes, node) -> nodes.builder.literal(LiteralType.BOOLEAN));
        visitors.put(DateTimeLiteralExpression.class, (nodes, node) -> nodes.builder.temporal());
    }

    private static void arithmetic(Map<Class<?>, Visitor> visitors) {
        binary(visitors, Addition.class, Operator.ADD);
        binary(visitors, Subtraction.class, Operator.SUBTRACT);
        binary(visitors, Multiplication.class, Operator.MULTIPLY);
        binary(visitors, Division.class, Operator.DIVIDE);
        binary(visitors, IntegerDivision.class, Operator.DIV);
        binary(visitors, Modulo.class, Operator.REMAINDER);
        visitors.put(SignedExpression.class, (nodes, node) -> nodes.builder.signed((SignedExpression) node));
    }

    private static void conditions(Map<Class<?>, Visitor> visitors) {
        binary(visitors, AndExpression.class, Operator.AND);
        binary(visitors, OrExpression.class, Operator.OR);
        binary(visitors, EqualsTo.class, Operator.EQUAL);
        binary(visitors, NotEqualsTo.class, Operator.NOT_EQUAL);
        binary(visitors, GreaterThan.class, Operator.GREATER);
        binary(visitors, GreaterThanEquals.class, Operator.GREATER_OR_EQUAL);
        binary(visitors, MinorThan.class, Operator.LESS);
        binary(visitors, MinorThanEquals.class, Operator.LESS_OR_EQUAL);
        binary(visitors, CosineSimilarity.class, Operator.EQUAL_OR_BOTH_NULL);
        visitors.put(NotExpression.class, (nodes, node) -> {
            NotExpression not = (NotExpression) node;
            refuseIf(not.isExclamationMark(), "!");
            return nodes.builder.prefix(Operator.NOT, not.getExpression());
        });
        visitors.put(LikeExpression.class, (nodes, node) -> {
            LikeExpression like = (LikeExpression) node;
            boolean known = switch (like.getLikeKeyWord()) {
                case LIKE, RLIKE, REGEXP -> true;
                default -> false;
            };
            refuseIf(!known || like.isUseBinary(), "LIKE with more");
            boolean pattern = like.getLikeKeyWord() == LikeExpression.KeyWord.LIKE;
            return nodes.builder.like(pattern ? Operator.LIKE : Operator.REGEXP, like);
        });
        visitors.put(Between.class, (nodes, node) -> {
            Between between = (Between) node;
            if (between.isUsingSymmetric()
                    || between.isUsingAsymmetric()
                    || loose(between.getLeftExpression())
                    || loose(between.getBetweenExpressionStart())
                    || loose(between.getBetweenExpressionEnd())) {
                throw nodes.operands.refusal("BETWEEN beside a comparison");
            }
            return nodes.builder.between(between);
        });
        visitors.put(InExpression.class, (nodes, node) -> nodes.builder.in((InExpression) node));
        visitors.put(IsNullExpression.class, (nodes, node) -> {
            IsNullExpression test = (IsNullExpression) node;
            refuseIf(test.isUseIsNull() || test.isUseNotNull(), "ISNULL");
            return nodes.builder.is(Operator.IS_NULL, test.getLeftExpression());
        });
        visitors.put(IsBooleanExpression.class, (nodes, node) -> {
            IsBooleanExpression test = (IsBooleanExpression) node;
            return nodes.builder.is(test.isTrue() ? Operator.IS_TRUE : Operator.IS_FALSE, test.getLeftExpression());
        });
        visitors.put(
                IsUnknownExpression.class,
                (nodes, node) ->
                        nodes.builder.is(Operator.IS_UNKNOWN, ((IsUnknownExpression) node).getLeftExpression()));
    }

    private static void binary(
            Map<Class<?>, Visitor> visitors, Class<? extends BinaryExpression> type, Operator operator) {
        visitors.put(type, (nodes, node) -> nodes.builder.binary(operator, (BinaryExpression) node));
    }

    private static void refuseIf(boolean refused, String what) throws RefusedException {
        if (refused) {
            throw new RefusedException(Reason.UNSUPPORTED_SYNTAX, what);
        }
    }
}
