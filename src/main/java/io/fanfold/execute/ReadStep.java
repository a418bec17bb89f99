package io.fanfold.execute;

import io.fanfold.config.TransactionConfig;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first step: reads a statement and plans it as a session with default settings would, without asking the server.
 * For the coordinator thread.
 */
record ReadStep(FanOutScope scope, StatementAnalyzer analyzer) {
    private static final Logger LOG = LoggerFactory.getLogger(ReadStep.class);

    /**
     * A statement as a session with default settings reads it.
     *
     * @param text its text, with values in place of parameters
     */
    record ReadStatement(LogicalStatement logical, String text) {}

    /** Reads a statement that no client sent: the first one takes a quarter of a second longer than the next. */
    static void warmUp(StatementAnalyzer analyzer) {
        try {
            analyzer.preliminary(
                    "SELECT a, COUNT(*), SUM(b) FROM t JOIN u ON t.c = u.c WHERE d > 1 GROUP BY a ORDER BY a", null);
        } catch (RefusedException e) {
            LOG.trace("read ahead of time", e);
        }
    }

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
        ReadStatement read = new ReadStatement(analyzer.preliminary(text, scope.schema()), text);
        String schema = scope.schema();
        if (schema != null) {
            scope.schema(schema, text);
            scope.requireNotRefused(analyzer, read.logical());
        }
        return read;
    }
}
