package io.fanfold.execute;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.TableSettings;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.discovery.CatalogService;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.plan.NamedTables;
import io.fanfold.plan.NoGainRule;
import io.fanfold.plan.SplitPlanner;
import io.fanfold.plan.rule.Rules;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal.HoldsFor;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.DialectOfSession;
import io.fanfold.sql.Hint;
import io.fanfold.sql.SessionCharset;
import io.fanfold.sql.SqlDialect;
import io.fanfold.sql.StatementModel;
import io.fanfold.variables.SessionSettings;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Parses a statement and makes its logical plan: first under default session settings, before the server is asked, and
 * then under the settings of its own session. Has no state of its own; safe for all threads.
 */
final class StatementAnalyzer {
    private static final Logger LOG = LoggerFactory.getLogger(StatementAnalyzer.class);

    private final CatalogService catalog;
    private final LogicalPlans plans;
    private final TableSettings settings;
    private final SplitPlanner planner;

    /**
     * @param shared has the catalog, and the plans of earlier statements
     * @param config the settings that hold for the statement
     * @param user the user name of the account whose statements it reads
     */
    StatementAnalyzer(FanOutResources shared, FanfoldConfig config, String user) {
        this.catalog = shared.catalog();
        this.plans = shared.plans();
        this.settings = catalog.settings(config, user);
        this.planner = new SplitPlanner(catalog.flavor(), settings, new Rules());
    }

    /**
     * A statement as its session reads it.
     *
     * @param text its text
     * @param charset the session's character set, in which the client sent it
     */
    record SessionPlan(String text, Charset charset, LogicalStatement logical) {}

    /** Decodes the text for a first look; it is decoded again in the session's own character set. */
    String ordinaryText(byte[] sql) throws RefusedException {
        return SessionCharset.decode(sql, StandardCharsets.UTF_8)
                .or(() -> SessionCharset.decode(sql, StandardCharsets.ISO_8859_1))
                .orElseThrow(() -> new RefusedException(Reason.CHARSET, "not readable as text"));
    }

    /**
     * Makes the logical plan under the default sql_mode, for the largest tables of those names. If that is refused, and the
     * names mean tables that are partitioned otherwise in another schema, tries the session's schema, or while that is not
     * known each of these. Tries the other modes too if they matter for the text.
     *
     * @param schema the session's default database as far as it is known, else null
     */
    LogicalStatement preliminary(String text, @Nullable String schema) throws RefusedException {
        LogicalStatement preliminary = inSomeMode(text, schema);
        refuseInnerSemicolon(text);
        return preliminary;
    }

    private LogicalStatement inSomeMode(String text, @Nullable String schema) throws RefusedException {
        RefusedException refused;
        try {
            return inSomeSchema(text, dialect(false, false), schema);
        } catch (RefusedException e) {
            refused = e;
        }
        boolean quotes = text.indexOf('"') >= 0;
        boolean backslash = text.indexOf('\\') >= 0;
        for (SqlDialect other : List.of(dialect(true, false), dialect(false, true), dialect(true, true))) {
            if ((other.ansiQuotes() && !quotes) || (other.noBackslashEscapes() && !backslash)) {
                continue;
            }
            try {
                return inSomeSchema(text, other, schema);
            } catch (RefusedException e) {
                LOG.trace("nor in another mode", e);
            }
        }
        throw refused;
    }

    private LogicalStatement inSomeSchema(String text, SqlDialect dialect, @Nullable String known)
            throws RefusedException {
        StatementModel statement = catalog.reader().read(text, dialect);
        try {
            return analyze(statement, text, dialect, null);
        } catch (RefusedException refused) {
            List<String> others = tables(null).otherSchemas(statement.tables());
            for (String schema : others.isEmpty() || known == null ? others : List.of(known)) {
                try {
                    return analyze(statement, text, dialect, schema);
                } catch (RefusedException e) {
                    LOG.trace("nor in schema {}", schema, e);
                }
            }
            // in a schema that was not tried, it may be split
            throw others.isEmpty() || known == null ? refused : refused.holdingFor(HoldsFor.MOMENT);
        }
    }

    /**
     * Refuses a semicolon inside a string if the string may end earlier in the session, which is not known yet: the rest
     * may be a statement of its own, and the EXPLAIN sent on the client's connection would then run it. Where a string
     * ends depends on sql_mode if there are double quotes or backslashes, and on the character set if there are bytes of
     * other than ASCII. In a comment a semicolon may also end the statement.
     */
    private static void refuseInnerSemicolon(String text) throws RefusedException {
        int semicolon = text.indexOf(';');
        boolean sameForAll = text.chars().allMatch(c -> c < 0x80 && c != '"' && c != '\\' && c != '#')
                && !text.contains("--")
                && !text.contains("/*");
        if (semicolon >= 0 && !sameForAll && !text.substring(semicolon + 1).isBlank()) {
            throw new RefusedException(Reason.MULTI_STATEMENT, "text after a semicolon");
        }
    }

    private SqlDialect dialect(boolean ansiQuotes, boolean noBackslashEscapes) {
        return new SqlDialect(catalog.flavor(), ansiQuotes, noBackslashEscapes, StandardCharsets.UTF_8);
    }

    /** Returns the dialect in which a session reads texts. */
    SqlDialect dialect(SessionSettings settings) throws RefusedException {
        return DialectOfSession.of(settings.sqlMode(), catalog.flavor(), settings.characterSetClient());
    }

    /** Makes the logical plan under the settings of the statement's session. */
    SessionPlan inSession(byte[] sql, SessionSettings settings) throws RefusedException {
        SqlDialect dialect = dialect(settings);
        String text = SessionCharset.decode(sql, dialect.charset())
                .orElseThrow(() -> new RefusedException(Reason.CHARSET, "not valid in " + dialect.charset()));
        refuseLastDay(text, settings);
        StatementModel statement = catalog.reader().read(text, dialect);
        try {
            return new SessionPlan(text, dialect.charset(), analyze(statement, text, dialect, settings.database()));
        } catch (RefusedException e) {
            // every session reads such a text in the same way, so the tables of this schema are the cause
            boolean alike = dialect.equals(dialect(false, false)) && text.indexOf('"') < 0 && text.indexOf('\\') < 0;
            throw alike ? e.holdingFor(HoldsFor.MOMENT) : e;
        }
    }

    /**
     * Refuses LAST_DAY with NO_ZERO_IN_DATE on MariaDB. It shows NULL for LAST_DAY('2001-01-00'), but sorts, compares
     * and aggregates it as 2001-01-31 (10.11.18). So the workers' rows are not in the order in which they are merged.
     * Test: SplitIT.
     */
    private void refuseLastDay(String text, SessionSettings settings) throws RefusedException {
        if (catalog.flavor().isMariaDb()
                && settings.sqlMode().toUpperCase(Locale.ROOT).contains("NO_ZERO_IN_DATE")
                && text.toUpperCase(Locale.ROOT).contains("LAST_DAY")) {
            throw new RefusedException(Reason.SQL_MODE, "LAST_DAY with NO_ZERO_IN_DATE");
        }
    }

    private LogicalStatement analyze(StatementModel statement, String sql, SqlDialect dialect, @Nullable String schema)
            throws RefusedException {
        if (NoGainRule.countsAllRows(statement, catalog.flavor())
                && !settings.fanOut().splitPlainCount()
                && !(statement.hint() instanceof Hint.Parallel)) {
            throw new RefusedException(
                    Reason.ALREADY_FAST, "COUNT(*) of all rows is read in parallel by InnoDB itself");
        }
        if (NoGainRule.showsAllRows(statement)
                && tables(schema).settings(statement.tables().get(0)).minRows() > 0
                && !(statement.hint() instanceof Hint.Parallel)) {
            throw new RefusedException(Reason.ALREADY_FAST, "all rows are shown, as fast as the client takes them");
        }
        CatalogSnapshot tables = known();
        return plans.get(
                new LogicalPlans.PlanKey(sql, dialect, schema, settings),
                tables,
                () -> planner.analyze(statement, schema, tables));
    }

    /** The tables of the catalog, as a session names them. The schema is null while it is not known. */
    NamedTables tables(@Nullable String schema) throws RefusedException {
        return new NamedTables(settings, schema, known(), true);
    }

    /** The partitioned tables of the catalog. */
    CatalogSnapshot known() throws RefusedException {
        return catalog.snapshot()
                .orElseThrow(
                        () -> new RefusedException(Reason.NO_PARTITIONED_TABLE, "the catalog has not been read yet"));
    }
}
