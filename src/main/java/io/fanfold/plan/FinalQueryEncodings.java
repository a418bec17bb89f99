package io.fanfold.plan;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.StatementModel.BlockKind;
import io.fanfold.wire.ServerFlavor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Chooses the column encodings of an aggregation's merged columns by their use in the final query. For one plan, one
 * thread.
 */
final class FinalQueryEncodings {
    private static final ColumnEncoding YEAR_AS_NUMBER = new ColumnEncoding.TypedEncoding("int unsigned", false);

    private final LogicalPlan logical;
    private final LogicalAggregation shape;
    private final FinalQueryUse use;
    private final TypeBinding types;
    private final ColumnEncodings encodings;
    private final ServerFlavor flavor;

    FinalQueryEncodings(
            LogicalPlan logical, LogicalAggregation shape, FinalQueryUse use, TypeBinding types, ServerFlavor flavor) {
        this.logical = logical;
        this.shape = shape;
        this.use = use;
        this.types = types;
        this.encodings = new ColumnEncodings(types, flavor);
        this.flavor = flavor;
    }

    /**
     * Returns the encodings of all merged columns in order: keys, keys that are only sorted by, aggregates.
     *
     * @param sortColumns maps keys that do not sort themselves to the merged column to sort by instead
     */
    List<ColumnEncoding> of(Map<Integer, Integer> sortColumns) throws RefusedException {
        List<ColumnEncoding> all = new ArrayList<>();
        for (int key = 0; key < shape.keys().size(); key++) {
            all.add(key(key));
        }
        for (int key = 0; key < shape.keys().size(); key++) {
            if (sortColumns.containsKey(key)) {
                all.add(ColumnEncodings.exact(
                        types.exactForm(shape.keys().get(key)).orElseThrow()));
            }
        }
        for (int aggregate = 0; aggregate < shape.aggregates().size(); aggregate++) {
            all.add(aggregate(aggregate));
        }
        if (shape.rollup() || logical.model().windowed() || shape.materialized().isPresent()) {
            all.replaceAll(
                    encoding -> encoding.equals(ColumnEncodings.YEAR) ? ColumnEncodings.YEAR_BUT_ZERO : encoding);
        }
        return all;
    }

    private ColumnEncoding key(int key) throws RefusedException {
        int input = shape.keys().get(key);
        Template.Ref ref = new Template.KeyRef(key);
        if (shape.materialized().isPresent() && !use.shownOnly(ref) || strictDate(input)) {
            return value(input);
        }
        // different values may have the same text
        boolean repeats =
                shape.distinctRows() && use.used(ref) && types.exactForm(input).isPresent();
        return use.shownOnly(ref) && !repeats ? encodings.shown(input) : value(input);
    }

    /**
     * Whether a YEAR is sent as a number. MySQL compares a derived table's computed YEAR as a number, but a YEAR column
     * as a year, in which 1 is 2001.
     */
    private boolean yearAsNumber(int input) {
        boolean table = logical.placement()
                .map(placement -> placement.kind() == BlockKind.TABLE)
                .orElse(false);
        return table
                && flavor.isMySql()
                && types.of(input).type() == ColumnType.YEAR
                && types.of(input).computed();
    }

    /**
     * Whether a date must have no zero parts. MySQL keeps sorted groups with DISTINCT aggregates, and rows of window
     * functions, in temporary tables, where such dates change and raise warnings.
     */
    private boolean strictDate(int input) {
        boolean temporary = shape.materialized().isPresent()
                || flavor.isMySql()
                        && !shape.distinctArguments().isEmpty()
                        && !shape.orderBy().isEmpty();
        return temporary && types.of(input).type().isTemporal();
    }

    private ColumnEncoding value(int input) throws RefusedException {
        if (yearAsNumber(input)) {
            return YEAR_AS_NUMBER;
        }
        boolean branch = logical.placement()
                .map(placement -> placement.kind() == BlockKind.BRANCH)
                .orElse(false);
        return branch ? encodings.ofBranch(input) : encodings.of(input);
    }

    private ColumnEncoding aggregate(int number) throws RefusedException {
        LogicalAggregate aggregate = shape.aggregates().get(number);
        if (aggregate instanceof LogicalAggregate.LogicalSum sum) {
            return types.of(sum.input()).type().isFloatingPoint()
                    ? encodings.floating(sum.input())
                    : value(sum.input());
        }
        if (aggregate instanceof LogicalAggregate.LogicalVariance variance) {
            return encodings.floating(variance.shown());
        }
        if (aggregate instanceof LogicalAggregate.LogicalAnyValue any) {
            return chosen(number, any.input(), any.argument());
        }
        if (aggregate instanceof LogicalAggregate.LogicalMinMax minMax) {
            return chosen(number, minMax.input(), minMax.argument());
        }
        if (aggregate instanceof LogicalAggregate.LogicalSumDistinct sum) {
            return encodings.of(sum.sum());
        }
        return new ColumnEncoding.TypedEncoding(
                aggregate instanceof LogicalAggregate.LogicalBits ? "bigint unsigned" : "bigint", false);
    }

    /** Returns the encoding of an aggregate that is one of the values of its argument. */
    private ColumnEncoding chosen(int number, int input, int argument) throws RefusedException {
        if (types.of(argument).type() == ColumnType.YEAR) {
            return yearAsNumber(argument) ? value(input) : ColumnEncodings.YEAR_BUT_ZERO;
        }
        if (flavor.isMySql()
                && logical.model().windowed()
                && !types.zeroDates()
                && types.of(input).type() == ColumnType.DATE) {
            // MySQL stores a zero date for a group without dates
            throw new RefusedException(
                    Reason.WINDOW, "an extreme of dates, where MySQL warns of groups that have none");
        }
        Template.Ref ref = new Template.AggregateRef(number);
        boolean exact = types.exactForm(argument).isPresent();
        // if groups are sorted without zero dates in sql_mode, MariaDB makes such dates equal, and MySQL changes them
        // with warnings
        boolean sorted = !types.zeroDates() && !shape.orderBy().isEmpty();
        boolean strict = strictDate(input) || sorted && types.of(input).type().isDate();
        boolean asText = !strict && use.shownOnly(ref) && !(exact && (use.sorted(ref) || shape.distinctRows()));
        return asText ? encodings.shown(input) : value(input);
    }
}
