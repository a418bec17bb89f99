package io.fanfold.plan.rule;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.util.List;
import java.util.Optional;

/**
 * Refuses approximate numbers of a block inside a statement. The statement around the block may sum them, in an order that
 * only the server knows.
 *
 * <pre>
 * SELECT SUM(x.m) FROM (SELECT a, MAX(dbl) AS m FROM t GROUP BY a) x
 * </pre>
 *
 * <p>Test: {@code golden.txt}.
 */
final class EmbeddedApproximate implements FinalQueryRule {
    @Override
    public Optional<Refusal> check(TypedBlock block, List<ColumnEncoding> encodings) {
        if (block.placement().isEmpty() || block.model().approximate()) {
            return Optional.empty();
        }
        return encodings.stream()
                .flatMap(encoding -> declaration(encoding).stream())
                .filter(declaration -> declaration.contains("float") || declaration.contains("double"))
                .findFirst()
                .map(declaration -> new Refusal(Reason.APPROXIMATE, "a " + declaration + " in a derived table"));
    }

    private static Optional<String> declaration(ColumnEncoding encoding) {
        return encoding instanceof ColumnEncoding.TypedEncoding typed
                ? Optional.of(typed.declaration())
                : Optional.empty();
    }
}
