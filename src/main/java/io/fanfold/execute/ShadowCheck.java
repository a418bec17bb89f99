package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.metrics.VerifyReport;
import io.fanfold.metrics.VerifyResult;
import io.fanfold.pool.Lease;
import io.fanfold.variables.ResultsCharset;
import io.fanfold.verify.AnswerChoices;
import io.fanfold.verify.AnswerDigest;
import io.fanfold.verify.AnswerVerification;
import io.fanfold.verify.VerifyOutcome;
import java.io.IOException;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The verification of one answer. It computes the digest of the rows that are sent, and keeps one worker with its
 * snapshot. After the answer, the statement runs there as the server runs it. For the coordinator thread.
 */
final class ShadowCheck implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ShadowCheck.class);

    private final Verifier verifier;
    private final FanOutTask task;
    private final String session;
    private final long threadId;
    private final AnswerChoices choices;
    private final AnswerDigest sent;
    private final BiConsumer<Lease, FoundDifference> found;
    private @Nullable Lease worker;
    private boolean answered;

    /** What a difference consists of. */
    record FoundDifference(String sent, VerifyOutcome outcome) {}

    /**
     * Creates the check of an answer. A place of the verifier has been taken for it.
     *
     * @param session the session's name in the log
     * @param found called on another thread if the answers differ
     */
    ShadowCheck(
            Verifier verifier,
            FanOutTask task,
            String session,
            long threadId,
            AnswerChoices choices,
            BiConsumer<Lease, FoundDifference> found) {
        this.verifier = verifier;
        this.task = task;
        this.session = session;
        this.threadId = threadId;
        this.choices = choices;
        this.sent = new AnswerDigest(choices);
        this.found = found;
    }

    /** Takes a worker over, with its snapshot and without a running statement. */
    void take(Lease lease) {
        worker = lease;
    }

    /** Whether it still needs a worker. */
    boolean needsWorker() {
        return worker == null;
    }

    /** Returns an answer that computes the digest of its rows. */
    ClientConnection.Answer over(ClientConnection.Answer answer) {
        return new ClientConnection.Answer() {
            @Override
            public void row(byte[] payload) throws ClientConnection.ClientGoneException, InterruptedException {
                sent.add(payload);
                answer.row(payload);
            }

            @Override
            public void stopWaiting() {
                answer.stopWaiting();
            }

            @Override
            public void end() {
                answer.end();
                answered = true;
            }

            @Override
            public void fail(int errno, String sqlState, String message) {
                answer.fail(errno, sqlState, message);
            }
        };
    }

    /** Starts the verification if the answer is complete. Otherwise releases the worker. */
    @Override
    public void close() {
        Lease kept = worker;
        worker = null;
        if (answered && kept != null) {
            verifier.run(threadId, kept, this::verify);
            return;
        }
        if (kept != null) {
            kept.close();
        }
        verifier.leave();
        if (answered) {
            verifier.skipped();
        }
    }

    private VerifyReport verify(Lease lease) {
        try {
            Lease.apply(List.of(lease), task.settings(), ResultsCharset.AS_CLIENT);
            VerifyOutcome outcome = new AnswerVerification(lease.connection(), task.logical(), choices).verify(sent);
            if (outcome.result() == VerifyResult.DIFFERENT) {
                found.accept(lease, new FoundDifference(sent.toString(), outcome));
            } else if (!outcome.why().isEmpty()) {
                LOG.debug("{} verified: {} ({})", session, outcome.result().label(), outcome.why());
            }
            return new VerifyReport(outcome.result(), outcome.nanos());
        } catch (ServerException | IOException e) {
            LOG.info("{}: a verification did not end: {}", session, e.toString());
            return new VerifyReport(VerifyResult.UNFINISHED, 0);
        } catch (RuntimeException e) {
            LOG.warn("{}: a verification failed", session, e);
            return new VerifyReport(VerifyResult.UNFINISHED, 0);
        }
    }
}
