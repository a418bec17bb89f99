package io.fanfold.reason;

import io.fanfold.reason.Refusal.HoldsFor;
import java.util.Locale;

/**
 * Why a statement was passed through instead of being split. The names are stable: they appear in the log, in counters
 * and in the documentation.
 */
public enum Reason {
    // what the statement is
    NOT_A_SELECT("the statement is not a SELECT"),
    NO_PARTITIONED_TABLE(
            "the statement names no partitioned or large table that the worker account can read", HoldsFor.TEXT),
    TOO_LONG("the statement is longer than limits.statement-size, or has too many words or parentheses"),
    MULTI_STATEMENT("the client sent several statements in one command"),
    LEXER_REFUSED("the statement contains an operator, a literal or a comment that Fanfold does not read"),
    PARSER_REFUSED("Fanfold's parser does not accept the statement", HoldsFor.TEXT),
    NOT_FAITHFUL("Fanfold cannot prove that it reads the statement as the server does"),
    RESERVED_NAME("a name without quotes is a reserved word of the server"),
    UNSUPPORTED_SYNTAX("Fanfold does not read a clause or an expression of the statement", HoldsFor.TEXT),
    UNKNOWN_FUNCTION("a function is not on Fanfold's list of deterministic built-in functions", HoldsFor.TEXT),
    SESSION_FUNCTION(
            "the result of a function depends on the session, on chance or on the current time", HoldsFor.TEXT),
    USER_VARIABLE("the statement uses a user variable or a system variable", HoldsFor.TEXT),
    LOCKING_READ("the SELECT locks rows, or writes to a file or a variable", HoldsFor.TEXT),
    SUBQUERY(
            "a subquery may have several right answers, or stands in a place that Fanfold does not split",
            HoldsFor.TEXT),
    SET_OPERATION("Fanfold does not read a part of a UNION, INTERSECT or EXCEPT", HoldsFor.TEXT),
    HINT("a hint forbids the split", HoldsFor.TEXT),

    // what can be folded
    NO_SHAPE(
            "Fanfold does not split LIMIT without ORDER BY, plain rows inside a larger statement, or rows without "
                    + "ORDER BY of a table without partitions",
            HoldsFor.TEXT),
    SELECT_STAR("the select list combines * with GROUP BY, DISTINCT, an aggregate or a window function"),
    OUTER_JOIN("the table to be split is the right table of a LEFT JOIN or the left table of a RIGHT JOIN"),
    EXPLICIT_PARTITION("a PARTITION clause does not directly follow a table name, or is malformed"),
    AGGREGATE("Fanfold has no exact way to merge this aggregate"),
    AVG_IN_EXPRESSION("AVG stands in an expression, in HAVING or in a derived table, for which the server "
            + "computes more digits than AVG shows"),
    ROLLUP("Fanfold cannot compute this WITH ROLLUP from merged groups"),
    WINDOW("a window function reads all rows of a table, or Fanfold cannot compute it over groups", HoldsFor.TEXT),
    UNGROUPED_COLUMN("a column is neither in GROUP BY nor inside an aggregate", HoldsFor.TEXT),
    AMBIGUOUS_NAME("a name in the statement may mean two things"),
    APPROXIMATE("the last digits of a floating-point aggregate depend on the order of the rows"),
    KEY_TYPE("Fanfold cannot compare values of this type as the server does"),
    COLLATION("Fanfold cannot compare strings of this collation as the server does"),
    ARGUMENT_TYPE("Fanfold cannot aggregate or compute values of this type exactly as the server does"),

    // the session
    IN_TRANSACTION("the statement cannot be split at this point of its transaction"),
    SESSION_STATE("the session holds a state that only its own connection has"),
    SESSION_VARIABLE("a session variable has a value that Fanfold cannot give to the workers"),
    SQL_MODE("the session's sql_mode contains a mode that Fanfold does not support"),
    CHARSET("Fanfold does not support the session's character set"),
    PIPELINED("the client sent another command before it had the answer"),
    PREPARED_STATE("this execution of a prepared statement uses a cursor, too much long data or other types, "
            + "or its session has changed"),
    PARAMETER("Fanfold knows no literal that means the same as a parameter with this value in this place"),
    BINARY_FORM("the prepared statement returns FLOAT or DOUBLE(M,D) values, which have more digits in "
            + "binary form than as text"),

    // the tables
    VIEW("a name in the statement is a view"),
    TEMPORARY_TABLE("a name in the statement is a temporary table"),
    ENGINE(
            "a table is neither InnoDB nor a Spider table that Fanfold can split here, or is system-versioned",
            HoldsFor.MOMENT),
    TABLE_UNREADABLE("the client's account or the worker account cannot read a table's definition"),
    PARTITIONS("Fanfold could not determine which partitions the statement reads"),
    OBSERVED("the mode is observe: the statement could be split, and Fanfold counts what that would gain"),
    TABLE_DISABLED("the settings switch the split of this table off", HoldsFor.TEXT),

    // is it worth it
    FEW_ROWS("the server estimates fewer rows than fan-out.min-rows", HoldsFor.MOMENT),
    FEW_PARTITIONS("fewer than two partitions are left after partition pruning", HoldsFor.MOMENT),
    KEY_RANGE("Fanfold finds no ranges of a key by which it could split the table", HoldsFor.MOMENT),
    WORSE_PLAN(
            "the server's plan for the partition queries is worse than its plan for the whole statement",
            HoldsFor.MOMENT),
    MEASURED("Fanfold measures this statement without a split, or has found that a split is not faster"),
    CORES_BUSY("other long statements keep the cores of the server busy, and a split of this one saves no work"),
    PLAN_TYPES("the column types of the answer depend on the server's plan"),
    ALREADY_FAST("a split would not make this statement faster", HoldsFor.MOMENT),

    // running it
    DISABLED("fan-out is switched off, or no worker account is configured"),
    UNSUPPORTED_SERVER("Fanfold splits no statements on this server, or on this version of it"),
    POOL_BUSY("not enough worker connections were free in time"),
    OTHER_SERVER("the client and the workers are connected to different servers"),
    SNAPSHOT("Fanfold could not prove that all workers read the same state of the tables"),
    PREPARE_FAILED("the server rejected the statement when Fanfold prepared it"),
    WORKER_ERROR("a query on a worker connection failed"),
    WARNINGS("the server raised warnings for the statement or for a partition query"),
    MEMORY("the statement needs more memory than limits.query-memory or limits.total-memory allows", HoldsFor.MOMENT),
    FINAL_QUERY_FAILED(
            "the final query failed, or needs more rows than limits.final-query-rows allows", HoldsFor.MOMENT),
    VERIFY_DIFFERS("a verification has found that the split answer differs from the server's"),
    VALUE("Fanfold cannot merge a value, or pass it to the final query, without changing it"),
    CLIENT_LOST("the client's connection ended before the statement was answered"),
    INTERNAL("an unexpected error happened inside Fanfold");

    private final String sentence;
    private final HoldsFor holdsFor;

    Reason(String sentence) {
        this(sentence, HoldsFor.SESSION);
    }

    Reason(String sentence, HoldsFor holdsFor) {
        this.sentence = sentence;
        this.holdsFor = holdsFor;
    }

    /** One clause that says what was found, for logs and documentation. */
    public String sentence() {
        return sentence;
    }

    /** Returns what a refusal with this reason usually holds for. */
    HoldsFor holdsFor() {
        return holdsFor;
    }

    /** The name in counters and logs: lower case with underscores. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
