package io.fanfold.metrics;

import java.util.Locale;

/**
 * Why a statement was passed through instead of being split. The names are stable: they appear in the log, in counters
 * and in the documentation.
 */
public enum Reason {
    // what the statement is
    NOT_A_SELECT("only SELECT statements are split"),
    NO_PARTITIONED_TABLE("no partitioned table is named"),
    TOO_LONG("the statement is longer than the parser limit"),
    MULTI_STATEMENT("several statements were sent in one command"),
    LEXER_REFUSED("the text holds a construct that is not read the way the server reads it"),
    PARSER_REFUSED("the parser does not accept the text"),
    NOT_FAITHFUL("the parser's reading could not be proven equal to the text"),
    RESERVED_NAME("an unquoted name is a reserved word of the server"),
    UNSUPPORTED_SYNTAX("a clause or expression is not on the white list"),
    UNKNOWN_FUNCTION("a function is not on the white list of deterministic functions"),
    SESSION_FUNCTION("a function depends on the session"),
    USER_VARIABLE("a user or system variable is used"),
    LOCKING_READ("the SELECT locks rows or writes to a file or variable"),
    SUBQUERY("the block holds a subquery"),
    SET_OPERATION("a UNION, INTERSECT or EXCEPT has a part that is not read"),
    HINT("a hint forbids splitting"),

    // what can be folded
    NO_SHAPE("the first rows without an order, or plain rows of a derived table, are not folded"),
    SELECT_STAR("a select list with * is not folded"),
    OUTER_JOIN("the partitioned table is on the nullable side of an outer join"),
    EXPLICIT_PARTITION("a PARTITION clause stands where none belongs"),
    AGGREGATE("an aggregate has no exact merge rule"),
    AVG_IN_EXPRESSION("AVG stands where the server's inner precision matters"),
    ROLLUP("rows of WITH ROLLUP cannot be made of folded groups here"),
    WINDOW("window functions are computed only over groups, or over rows that a condition leaves"),
    UNGROUPED_COLUMN("a column is neither grouped nor aggregated"),
    AMBIGUOUS_NAME("a name may mean two things"),
    APPROXIMATE("the aggregate of an approximate number depends on the order of its input"),
    KEY_TYPE("a key's type cannot be compared exactly outside the server"),
    COLLATION("a key's collation cannot be compared exactly outside the server"),
    ARGUMENT_TYPE("an aggregate's argument has a type without an exact merge rule"),

    // the session
    IN_TRANSACTION("the statement's transaction does not let it be split"),
    SESSION_STATE("the session holds state that only its own connection has"),
    SESSION_VARIABLE("a session variable has a value that cannot be carried to workers"),
    SQL_MODE("the sql_mode changes the language"),
    CHARSET("the session's character set cannot be read safely"),
    PIPELINED("the client sent further commands before the answer"),
    PREPARED_STATE("a prepared statement is executed in a way, or in a session, in which its meaning is not known"),
    PARAMETER("a parameter has a value, or stands in a place, that no literal is known to be the same for"),
    BINARY_FORM("a column's values are not had exactly from their text"),

    // the tables
    VIEW("a name is a view"),
    TEMPORARY_TABLE("a name is a temporary table"),
    ENGINE("a table is not InnoDB"),
    TABLE_UNREADABLE("a table's definition could not be read by the session or the workers"),
    PARTITIONS("the partition list could not be proven"),
    TABLE_DISABLED("the settings switch the split of the table off"),

    // is it worth it
    FEW_ROWS("too few rows are estimated"),
    FEW_PARTITIONS("fewer than two partitions are left after pruning"),
    WORSE_PLAN("the server plans the partition queries worse than the whole statement"),
    MEASURED("the statement is tried, or was measured to be no slower, without a split"),
    PLAN_TYPES("the types of the answer's columns depend on the server's plan in a way that is not known"),
    ALREADY_FAST(
            "the server answers without reading the rows, or in parallel by itself, or as fast as the client reads"),

    // running it
    DISABLED("fan-out is switched off or has no worker account"),
    POOL_BUSY("no two worker connections were free in time"),
    OTHER_SERVER("the client's connection leads to another server than those of the workers"),
    SNAPSHOT("the workers' snapshots could not be proven the same"),
    PREPARE_FAILED("the server did not prepare the statement"),
    WORKER_ERROR("a worker's statement failed"),
    WARNINGS("preparing the statement or a worker's statement raised warnings"),
    MEMORY("the memory budget was reached before the first row"),
    FINISH_FAILED("the finish query failed or is too large"),
    VALUE("a value cannot be carried into the finish query"),
    CLIENT_LOST("the client's connection ended while the statement was looked at"),
    INTERNAL("an unexpected failure inside the proxy");

    private final String sentence;

    Reason(String sentence) {
        this.sentence = sentence;
    }

    /** One clause that says what was found, for logs and documentation. */
    public String sentence() {
        return sentence;
    }

    /** The name in counters and logs: lower case with underscores. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
