package io.fanfold.execute;

import io.fanfold.execute.ClientConnection.ClientGoneException;
import io.fanfold.execute.PreflightStep.AskedStatement;
import io.fanfold.execute.ScanStep.ScannedRows;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Row;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last step of a statement whose rows were merged: runs the final query, if no worker has, and answers. The workers
 * are free again. For the coordinator thread.
 */
record AnswerStep(FanOutScope scope) {
    private static final Logger LOG = LoggerFactory.getLogger(AnswerStep.class);

    /**
     * Answers the client.
     *
     * @param scanned closed here
     * @throws RefusedException if the final query failed, before the answer began
     */
    void run(AskedStatement asked, ScannedRows scanned) throws RefusedException, InterruptedException {
        try (scanned) {
            Iterable<byte[]> payloads = scanned.finished();
            if (payloads == null) {
                payloads = FinalQueryRun.finish(
                        scanned.plan(),
                        scanned.rows(),
                        asked.head().columns(),
                        asked.charset(),
                        scope.client(),
                        scanned.limits());
            }
            if (scanned.plan().hasFinalQuery() && !asked.texts().unchecked()) {
                for (byte[] payload : payloads) {
                    asked.texts().refuse(Row.of(payload, asked.head().columns()));
                }
            }
            scope.phases().ended("finish");
            answer(asked, scanned, payloads);
        }
    }

    private void answer(AskedStatement asked, ScannedRows scanned, Iterable<byte[]> payloads) {
        ClientConnection.Answer answer = scope.answer(asked.head());
        AnswerCount count = scope.count();
        try {
            for (byte[] payload : payloads) {
                answer.row(payload);
            }
            count.fannedOut(scanned.partitions(), scanned.degree(), scanned.snapshot(), scanned.filters());
            answer.end();
        } catch (InterruptedException | ClientGoneException e) {
            count.failed(FailureMap.duringAnswer(e, null, scope.flavor()), answer);
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
        } catch (RuntimeException | Error e) {
            LOG.warn("session {}: an answer broke off", scope.client().backendThreadId(), e);
            count.failed(FailureMap.duringAnswer(e, null, scope.flavor()), answer);
        }
    }
}
