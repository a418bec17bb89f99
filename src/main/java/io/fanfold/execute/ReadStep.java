package io.fanfold.execute;

import io.fanfold.config.TransactionConfig;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;

/**
 * The first step: reads a statement and plans it as a session with default settings would, without asking the server.
 * For the coordinator thread.
 */
record ReadStep(FanOutScope scope, StatementAnalyzer analyzer) {
    /**
     * A statement as a session with default settings reads it.
     *
     * @param text its text, with values in place of parameters
     */
    record ReadStatement(LogicalStatement logical, String text) {}

    /** Reads the statement, when few others are being read. A refusal does not depend on the session's settings. */
    ReadStatement run() throws RefusedException {
        scope.shared().reading().acquireUninterruptibly();
        try {
            return read();
        } finally {
            scope.shared().reading().release();
        }
    }

    private ReadStatement read() throws RefusedException {
        FanOutRequest request = scope.request();
        if (request.transaction().isPresent()
                && scope.config().fanOut().transactions().splits() == TransactionConfig.Splits.OFF) {
            throw new RefusedException(Reason.IN_TRANSACTION, "fan-out.transactions=off");
        }
        if (request.execution().isPresent()) {
            BoundExecution bound = BoundExecution.of(request.execution().get(), scope.flavor());
            scope.bind(bound);
            bound.requirePlaces();
        }
        String text = analyzer.ordinaryText(scope.sql());
        ReadStatement read = new ReadStatement(analyzer.preliminary(text), text);
        String schema = scope.schema();
        if (schema != null) {
            scope.schema(schema, text);
            scope.requireNotRefused(analyzer, read.logical());
        }
        return read;
    }
}
