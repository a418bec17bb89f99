package io.fanfold.execute;

import io.fanfold.config.VerifyConfig;
import io.fanfold.execute.ShadowCheck.FoundDifference;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.Part;
import io.fanfold.pool.Lease;
import io.fanfold.status.StatusTable;
import io.fanfold.variables.ResultsCharset;
import io.fanfold.variables.SessionSettings;
import io.fanfold.verify.AnswerVerification;
import io.fanfold.verify.DifferenceReport;
import io.fanfold.verify.DifferingStatements;
import io.fanfold.verify.DifferingStatements.DifferingStatement;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done when an answer differs from the server's: the statement is not split any more, and the log and a report
 * say so.
 *
 * @param session the session's name in the log
 * @param digest of the schema and the text without literals
 * @param schema "" if the session has none
 * @param shown the statement without its literals
 */
record DifferenceFound(
        VerifyConfig config,
        DifferingStatements differing,
        ExecutionHistory history,
        String session,
        String digest,
        String schema,
        String shown) {
    private static final Logger LOG = LoggerFactory.getLogger(DifferenceFound.class);

    /** A report has at most this many partition queries. */
    private static final int MOST_QUERIES = 100;

    /**
     * Records the difference.
     *
     * @param planned the plan of the split
     * @param worker the worker that has run the statement
     */
    void record(PlannedScan planned, Lease worker, FoundDifference found) {
        DifferingStatement statement = new DifferingStatement(
                DifferingStatements.id(digest),
                schema,
                shown,
                Instant.now(),
                found.outcome().why());
        differing.add(statement);
        LOG.error(
                "{}: the answer to a split statement differs from the server's ({}). Statements like it are not split"
                        + " until they are allowed or Fanfold restarts. {}: {}",
                session,
                statement.why(),
                statement.id(),
                shown);
        Path directory = config.directory();
        if (directory == null) {
            return;
        }
        DifferenceReport report = new DifferenceReport(
                statement,
                worker.facts().identity().toString(),
                planned.snapshot(),
                found.sent(),
                found.outcome().direct(),
                plan(planned),
                script(planned));
        try {
            LOG.error("the report of {} is {}", statement.id(), report.write(directory));
        } catch (IOException e) {
            LOG.error("the report of {} cannot be written: {}", statement.id(), e.toString());
        }
    }

    /** Removes literals where the report must not have them, as the session reads texts. */
    private UnaryOperator<String> shownSql(SessionSettings settings) {
        boolean backslashEscapes = !settings.sqlMode().contains("NO_BACKSLASH_ESCAPES");
        return config.literals() ? sql -> sql : sql -> Digest.of(sql, backslashEscapes);
    }

    private List<String> plan(PlannedScan planned) {
        StatusTable table = Explanation.split(planned, digest, history).table();
        UnaryOperator<String> shownSql = shownSql(planned.task().settings());
        return table.rows().stream()
                .map(row -> row.get(0) + ": " + shownSql.apply(String.valueOf(row.get(1))))
                .toList();
    }

    private List<String> script(PlannedScan planned) {
        FanOutTask task = planned.task();
        SessionSettings settings = task.settings();
        UnaryOperator<String> shownSql = shownSql(settings);
        List<String> script = new ArrayList<>();
        if (!config.literals()) {
            script.add("-- ? stands for each literal; verify.literals: true keeps them");
        }
        if (!schema.isEmpty()) {
            script.add("USE `" + schema.replace("`", "``") + "`");
        }
        script.add(settings.assignments(ResultsCharset.AS_CLIENT).entrySet().stream()
                .map(entry -> entry.getKey() + " = " + entry.getValue())
                .collect(Collectors.joining(", ", "SET ", "")));
        script.add("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
        script.add("-- the server's answer; the same statement through Fanfold gives the other one");
        script.add(shownSql.apply(AnswerVerification.text(task.logical())));
        script.add("-- the partition queries that Fanfold merges");
        for (int i = 0; i < task.blocks().size(); i++) {
            FanOutPlan plan = planned.plan().blocks().get(i);
            List<Part> parts = task.blocks().get(i).queries(plan, planned.degree());
            parts.stream().limit(MOST_QUERIES).forEach(part -> script.add(shownSql.apply(plan.partitionQuery(part))));
            if (parts.size() > MOST_QUERIES) {
                script.add("-- and " + (parts.size() - MOST_QUERIES) + " more");
            }
        }
        script.add("COMMIT");
        return script;
    }
}
