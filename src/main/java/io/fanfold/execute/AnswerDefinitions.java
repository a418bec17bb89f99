package io.fanfold.execute;

import io.fanfold.discovery.CatalogService;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.plan.PreparedAnswer;
import io.fanfold.plan.rule.Rules;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.StatementModel;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.util.List;

/**
 * The column definitions of an answer. They are those of PREPARE, corrected where the server's answer differs from
 * them.
 */
final class AnswerDefinitions {
    private AnswerDefinitions() {}

    /**
     * Returns the column definitions of an answer.
     *
     * @return payloads of column definition packets
     * @throws RefusedException if a definition depends on the plan that the server would take
     */
    static List<byte[]> of(Preflight.Answers preflight, LogicalStatement logical, CatalogService catalog)
            throws RefusedException {
        StatementModel statement = logical.statement();
        Reply.Prepared prepared = preflight.prepared();
        ServerFlavor flavor = catalog.flavor();
        RefusedException.throwIf(
                Rules.ofAnswer(PreparedAnswer.of(logical, prepared.columns(), preflight.explained(), flavor)));
        try {
            if (statement.select().isEmpty()) {
                return flavor.isMariaDb()
                        ? prepared.columnDefinitions()
                        : PlanDependentTypes.ofSetOperation(prepared.columnDefinitions(), prepared.columns());
            }
            if (flavor.isMariaDb()) {
                return PlanDependentTypes.ofMariaDb(
                        statement.select().get(),
                        prepared.columnDefinitions(),
                        prepared.columns(),
                        preflight.explained(),
                        catalog::bytesPerCharacter,
                        catalog.probes().signedDateParts());
            }
            return PlanDependentTypes.corrected(
                    statement.select().get(), prepared.columnDefinitions(), prepared.columns(), preflight.explained());
        } catch (ProtocolException e) {
            throw new RefusedException(Reason.PREPARE_FAILED, String.valueOf(e.getMessage()));
        }
    }
}
