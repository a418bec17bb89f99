package io.fanfold.observe;

import io.fanfold.client.ServerException;
import io.fanfold.execute.SplitCost;
import io.fanfold.observe.Verdict.Decision;
import io.fanfold.reason.Reason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;

/** Explains the samples of groups through a proxy, each in its schema. For one thread. */
final class LoadExplainer {
    private final LocalProxy proxy;
    private final Account account;
    private final GainModel model;

    LoadExplainer(LocalProxy proxy, Account account, GainModel model) {
        this.proxy = proxy;
        this.account = account;
        this.model = model;
    }

    /**
     * Explains each group.
     *
     * @param done receives the number of explained groups after each
     * @throws IOException if the connection is lost
     */
    List<Verdict> explain(List<StatementGroup> groups, IntConsumer done) throws IOException {
        List<Verdict> verdicts = new ArrayList<>();
        ExplainClient client = login();
        try {
            for (StatementGroup group : groups) {
                if (group.schema().isEmpty() && !client.schema().isEmpty()) {
                    // a session cannot leave its schema
                    client.close();
                    client = login();
                }
                verdicts.add(explain(client, group));
                done.accept(verdicts.size());
            }
        } finally {
            client.close();
        }
        return verdicts;
    }

    private ExplainClient login() throws IOException {
        return login(proxy, account);
    }

    /**
     * Logs in.
     *
     * @throws IOException also if the server refuses the account
     */
    static ExplainClient login(LocalProxy proxy, Account account) throws IOException {
        try {
            return proxy.login(account);
        } catch (ServerException e) {
            throw new IOException("error " + e.errno() + " (" + e.sqlState() + "): " + e.getMessage(), e);
        }
    }

    private Verdict explain(ExplainClient client, StatementGroup group) throws IOException {
        if (group.sample().isEmpty() || group.cut()) {
            return notExplained(
                    group,
                    group.cut() ? "cut" : "no_sample",
                    group.cut()
                            ? "the source has only the beginning of the statement"
                            : "the source has no text of the statement");
        }
        try {
            if (!group.schema().isEmpty()) {
                client.use(group.schema());
            }
            return verdict(model, group, client.explain(group.sample()));
        } catch (ServerException e) {
            return e.errno() == ExplainClient.PARAMETERS
                    ? notExplained(group, "parameters", "the source has no values for the statement's parameters")
                    : notExplained(group, "error " + e.errno(), "the server refuses it: " + e.getMessage());
        }
    }

    private static Verdict notExplained(StatementGroup group, String label, String sentence) {
        return new Verdict(group, Decision.NOT_EXPLAINED, label, sentence, Optional.empty(), group.nanos());
    }

    /** Decides by the mean time of the statements, which a proxy has to measure first. */
    static Verdict verdict(GainModel model, StatementGroup group, Explanation explanation) {
        if (!explanation.split()) {
            return passed(group, explanation, explanation.reason(), explanation.sentence());
        }
        if (explanation.doubtful() && group.meanNanos() < SplitCost.WORTH_A_TRY_NANOS) {
            return passed(group, explanation, Reason.WORSE_PLAN.label(), Reason.WORSE_PLAN.sentence());
        }
        long expected = model.expectedNanos(group.meanNanos(), explanation.workers(), explanation.partitions());
        if (expected >= group.meanNanos()) {
            return passed(group, explanation, Reason.MEASURED.label(), Reason.MEASURED.sentence());
        }
        return new Verdict(group, Decision.SPLIT, "", "", Optional.of(explanation), expected * group.executions());
    }

    private static Verdict passed(StatementGroup group, Explanation explanation, String label, String sentence) {
        return new Verdict(group, Decision.PASSED_THROUGH, label, sentence, Optional.of(explanation), group.nanos());
    }
}
