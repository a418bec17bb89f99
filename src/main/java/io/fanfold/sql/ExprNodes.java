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
 * The allowlist of the parser's expression classes, with the visitor of each. Any other class, including those of later
 * parser versions, is refused.
 */
final class ExprNodes {
    /** Makes expressions of nodes of one class. */
    interface Visitor {
        Expr visit(ExprBuilder builder, Expression node) throws RefusedException;
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

    private ExprNodes() {}

    static Visitor visitor(Expression node) throws RefusedException {
        Visitor visitor = VISITORS.get(node.getClass());
        if (visitor == null) {
            throw new RefusedException(
                    REASONS.getOrDefault(node.getClass(), Reason.UNSUPPORTED_SYNTAX),
                    "the expression " + node.getClass().getSimpleName());
        }
        return visitor;
    }

    static boolean loose(Expression node) {
        return LOOSE.contains(node.getClass());
    }

    private static Map<Class<?>, Visitor> visitors() {
        Map<Class<?>, Visitor> visitors = new HashMap<>();
        literals(visitors);
        arithmetic(visitors);
        conditions(visitors);
        visitors.put(Column.class, (builder, node) -> builder.column((Column) node));
        visitors.put(DateUnitExpression.class, (builder, node) -> builder.dateUnit((DateUnitExpression) node));
        visitors.put(
                ParenthesedExpressionList.class, (builder, node) -> builder.list((ParenthesedExpressionList<?>) node));
        visitors.put(CaseExpression.class, (builder, node) -> builder.cases((CaseExpression) node));
        visitors.put(CastExpression.class, (builder, node) -> builder.cast((CastExpression) node));
        visitors.put(Function.class, (builder, node) -> builder.calls().function((Function) node));
        visitors.put(
                JsonAggregateFunction.class,
                (builder, node) -> builder.calls().jsonAggregate((JsonAggregateFunction) node));
        visitors.put(
                AnalyticExpression.class, (builder, node) -> builder.calls().window((AnalyticExpression) node));
        visitors.put(TrimFunction.class, (builder, node) -> builder.calls().trim((TrimFunction) node));
        visitors.put(TimeKeyExpression.class, (builder, node) -> builder.calls().moment((TimeKeyExpression) node));
        visitors.put(IntervalExpression.class, (builder, node) -> builder.interval((IntervalExpression) node));
        visitors.put(ExtractExpression.class, (builder, node) -> builder.calls().extract((ExtractExpression) node));
        visitors.put(
                CollateExpression.class,
                (builder, node) -> builder.collate(((CollateExpression) node).getLeftExpression()));
        return Map.copyOf(visitors);
    }

    private static void literals(Map<Class<?>, Visitor> visitors) {
        visitors.put(StringValue.class, (builder, node) -> builder.literal(LiteralType.STRING));
        visitors.put(LongValue.class, (builder, node) -> builder.literal(LiteralType.INTEGER));
        visitors.put(DoubleValue.class, (builder, node) -> builder.number());
        visitors.put(NullValue.class, (builder, node) -> builder.literal(LiteralType.NULL));
        visitors.put(BooleanValue.class, (builder, node) -> builder.literal(LiteralType.BOOLEAN));
        visitors.put(DateTimeLiteralExpression.class, (builder, node) -> builder.temporal());
    }

    private static void arithmetic(Map<Class<?>, Visitor> visitors) {
        binary(visitors, Addition.class, Operator.ADD);
        binary(visitors, Subtraction.class, Operator.SUBTRACT);
        binary(visitors, Multiplication.class, Operator.MULTIPLY);
        binary(visitors, Division.class, Operator.DIVIDE);
        binary(visitors, IntegerDivision.class, Operator.DIV);
        binary(visitors, Modulo.class, Operator.REMAINDER);
        visitors.put(SignedExpression.class, (builder, node) -> builder.signed((SignedExpression) node));
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
        visitors.put(NotExpression.class, (builder, node) -> {
            NotExpression not = (NotExpression) node;
            refuseIf(not.isExclamationMark(), "!");
            return builder.prefix(Operator.NOT, not.getExpression());
        });
        visitors.put(LikeExpression.class, (builder, node) -> {
            LikeExpression like = (LikeExpression) node;
            boolean known = switch (like.getLikeKeyWord()) {
                case LIKE, RLIKE, REGEXP -> true;
                default -> false;
            };
            refuseIf(!known || like.isUseBinary(), "LIKE with more");
            boolean pattern = like.getLikeKeyWord() == LikeExpression.KeyWord.LIKE;
            return builder.like(pattern ? Operator.LIKE : Operator.REGEXP, like);
        });
        visitors.put(Between.class, (builder, node) -> builder.between((Between) node));
        visitors.put(InExpression.class, (builder, node) -> builder.in((InExpression) node));
        visitors.put(IsNullExpression.class, (builder, node) -> {
            IsNullExpression test = (IsNullExpression) node;
            refuseIf(test.isUseIsNull() || test.isUseNotNull(), "ISNULL");
            return builder.is(Operator.IS_NULL, test.getLeftExpression());
        });
        visitors.put(IsBooleanExpression.class, (builder, node) -> {
            IsBooleanExpression test = (IsBooleanExpression) node;
            return builder.is(test.isTrue() ? Operator.IS_TRUE : Operator.IS_FALSE, test.getLeftExpression());
        });
        visitors.put(
                IsUnknownExpression.class,
                (builder, node) -> builder.is(Operator.IS_UNKNOWN, ((IsUnknownExpression) node).getLeftExpression()));
    }

    private static void binary(
            Map<Class<?>, Visitor> visitors, Class<? extends BinaryExpression> type, Operator operator) {
        visitors.put(type, (builder, node) -> builder.binary(operator, (BinaryExpression) node));
    }

    private static void refuseIf(boolean refused, String what) throws RefusedException {
        if (refused) {
            throw new RefusedException(Reason.UNSUPPORTED_SYNTAX, what);
        }
    }
}
