package io.fanfold.it.prepared;

import static io.fanfold.it.support.client.SameInBinary.bigint;
import static io.fanfold.it.support.client.SameInBinary.bytes;
import static io.fanfold.it.support.client.SameInBinary.date;
import static io.fanfold.it.support.client.SameInBinary.decimal;
import static io.fanfold.it.support.client.SameInBinary.floating;
import static io.fanfold.it.support.client.SameInBinary.moment;
import static io.fanfold.it.support.client.SameInBinary.nothing;
import static io.fanfold.it.support.client.SameInBinary.number;
import static io.fanfold.it.support.client.SameInBinary.span;
import static io.fanfold.it.support.client.SameInBinary.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.BinaryClient.Parameter;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.client.SameInBinary;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.ServerFlavor;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Which parameter values may be written as literals next to which columns. Each value is compared with each column by
 * operators, over rows for which the comparison rules differ. A split execution has the answer of the prepared
 * statement. Other executions pass through. {@code -Dfanfold.it.parameter-values.step=1} takes each operator.
 */
class ParameterValuesIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_values", "", ParameterValuesIT::create);

    private static final AtomicInteger STATEMENTS = new AtomicInteger();

    /**
     * Reasons that have nothing to do with the value: the server knows that no row matches, or the answer has warnings.
     */
    private static final Set<String> BESIDES = Set.of("ALREADY_FAST", "PARTITIONS", "WARNINGS");

    /** Reasons why a value is not written as a literal: it is not proven equivalent, or the server rejects it. */
    private static final Set<String> NO_LITERAL = Set.of("PARAMETER", "PREPARE_FAILED");

    /** Each value meets each column by every n-th condition; neighbouring values and columns begin with another one. */
    private static final int STEP = Integer.getInteger("fanfold.it.parameter-values.step", 2);

    private static final int ROWS = 60;
    private static final int DATETIME = 12;

    private static final List<String> CONDITIONS =
            List.of("%s = ?", "%s <> ?", "%s < ?", "%s >= ?", "%s <=> ?", "%s IN (?, ?)", "%s NOT BETWEEN ? AND ?");

    private static final List<String> PATTERNS = List.of("%s LIKE ?", "%s NOT LIKE ?");

    private static final List<String> WHOLE = List.of("tiny", "si", "i", "bi", "ub", "zf");
    private static final List<String> CHARACTERS = List.of("ci", "b", "u3", "l1", "txt", "ch", "u16", "e", "st");
    private static final List<String> UTF8MB4 = List.of("ci", "b", "txt", "ch");
    private static final List<String> NARROWER = List.of("l1", "u3", "u16");
    private static final List<String> BYTES = List.of("vb", "bl");
    private static final List<String> REAL = List.of("dbl", "flt");

    private static void create(WireConnection admin) throws Exception {
        admin.execute("SET NAMES utf8mb4");
        admin.execute("CREATE TABLE t (id INT PRIMARY KEY, tiny TINYINT, si SMALLINT UNSIGNED, i INT, bi BIGINT,"
                + " ub BIGINT UNSIGNED, zf INT(8) ZEROFILL, dec12 DECIMAL(12,3), dec40 DECIMAL(40,10), dbl DOUBLE, flt FLOAT,"
                + " y YEAR, bt BIT(8), ci VARCHAR(20), b VARCHAR(20) COLLATE utf8mb4_bin,"
                + " l1 VARCHAR(20) CHARACTER SET latin1, u3 VARCHAR(20) CHARACTER SET utf8mb3, txt TEXT, ch CHAR(12),"
                + " u16 VARCHAR(20) CHARACTER SET utf16, vb VARBINARY(20), bl BLOB, e ENUM('a', 'b', '5', '\u00e9'),"
                + " st SET('a', 'b', 'c'), d DATE, dt DATETIME(3), ts TIMESTAMP(1) NULL, tm TIME(2), tm0 TIME)"
                + " DEFAULT CHARSET utf8mb4 PARTITION BY HASH (id) PARTITIONS 4");
        List<String> whole = List.of(
                "0 5 -3 12 9007199254740992 9007199254740993 9007199254740994 9223372036854775807 -9223372036854775808"
                        .split(" "));
        whole = Stream.concat(
                        whole.stream(), Stream.of("18446744073709551615 127 1999 2001 105900 1 6 4 65 97".split(" ")))
                .toList();
        List<String> exact =
                List.of(("0 5 5.5 -3 12.001 123456789.123 5.0000000001 9007199254740993 9007199254740992.0000000001 0.1"
                                + " 0.1000000001 0.25 1000000000000000 12 6 999999999999999")
                        .split(" "));
        List<String> words = List.of(
                "",
                "5",
                "-3",
                "12",
                "5.0",
                "05",
                " 5",
                "abc",
                "a",
                "A",
                "\u00e9",
                "\u00c9",
                "e",
                "E",
                "\u65e5",
                "\u00df",
                "ss",
                "a\\b",
                "a\nb",
                "a ",
                "2001-02-03",
                "10:59:00",
                "it's",
                "e\u0301",
                "\ud83d\ude00",
                "x\"y",
                "a_b",
                "a%b");
        List<String> days = List.of(
                "2001-02-03 00:00:00",
                "2001-02-03 10:59:00",
                "2001-02-03 10:59:00.5",
                "1999-01-01 00:00:00",
                "2020-05-14 12:00:00");
        List<String> times =
                List.of("10:59:00", "10:59:00.5", "-10:00:00", "00:00:05", "100:00:00", "838:59:59", "00:00:00");
        for (int i = 0; i < ROWS; i++) {
            String n = of(whole, i);
            BigInteger big = new BigInteger(n);
            String word = quoted(of(words, i));
            String day = quoted(of(days, i));
            String time = quoted(of(times, i));
            List<String> values = new ArrayList<>(List.of(String.valueOf(i)));
            values.addAll(i % 9 == 8 ? List.of("NULL", "NULL", "NULL", "NULL") : List.of(n, n, n, n));
            values.addAll(List.of(big.max(BigInteger.ZERO).toString(), String.valueOf(i * 7)));
            values.addAll(
                    List.of(of(exact, i), i % 3 == 0 ? n : of(exact, i), i % 2 == 0 ? n : of(exact, i), of(exact, i)));
            values.addAll(List.of(
                    i % 2 == 0 ? "1999" : "2001",
                    big.abs().mod(BigInteger.valueOf(256)).toString()));
            IntStream.range(0, 9).forEach(column -> values.add(word));
            values.addAll(List.of(
                    quoted(of(List.of("a", "b", "5", "\u00e9"), i)), quoted(of(List.of("a", "b", "a,b", "", "c"), i))));
            values.addAll(List.of(day, day, day, time, time));
            admin.execute("INSERT IGNORE INTO t VALUES (" + String.join(",", values) + ")");
        }
    }

    private static String of(List<String> values, int row) {
        return values.get(row % values.size());
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
    }

    private static String shown(Parameter value) {
        byte[] bytes = value.value();
        return value.type() + " " + (bytes == null ? "NULL" : new String(bytes, StandardCharsets.UTF_8));
    }

    /** Counts the outcomes of all executions of one value with one column. */
    private static Map<String, Integer> done(SameInBinary same, List<String> conditions, String column, Parameter value)
            throws Exception {
        Map<String, Integer> done = new TreeMap<>();
        for (String condition : conditions) {
            // a unique alias, so that the proxy remembers nothing about a similar statement
            String sql = "SELECT id, i AS i" + STATEMENTS.incrementAndGet() + " FROM t WHERE "
                    + condition.formatted(column) + " ORDER BY id";
            Parameter[] values = condition.indexOf('?') == condition.lastIndexOf('?')
                    ? new Parameter[] {value}
                    : new Parameter[] {value, value};
            ProxiedServer.Outcome outcome = same.outcomeOnce(sql, values);
            done.merge(outcome.fannedOut() ? "fanned out" : String.valueOf(outcome.reason()), 1, Integer::sum);
        }
        return done;
    }

    private static void mayStand(SameInBinary same, List<String> columns, Parameter... values) throws Exception {
        mayStand(same, CONDITIONS, columns, values);
    }

    /** Requires that the values are used as literals, in at least some of the conditions. */
    private static void mayStand(SameInBinary same, List<String> conditions, List<String> columns, Parameter... values)
            throws Exception {
        int first = 0;
        for (String column : columns) {
            for (Parameter value : values) {
                Map<String, Integer> done = done(same, every(STEP, first++ % STEP, conditions), column, value);
                assertThat(done).as("%s beside %s", shown(value), column).containsKey("fanned out");
                done.remove("fanned out");
                assertThat(BESIDES).as("%s beside %s", shown(value), column).containsAll(done.keySet());
            }
        }
    }

    private static List<String> every(int step, int first, List<String> conditions) {
        return IntStream.iterate(first, i -> i < conditions.size(), i -> i + step)
                .mapToObj(conditions::get)
                .toList();
    }

    private static void mayNotStand(SameInBinary same, List<String> columns, Parameter... values) throws Exception {
        for (String column : columns) {
            for (Parameter value : values) {
                assertThat(NO_LITERAL)
                        .as("%s beside %s", shown(value), column)
                        .containsAll(
                                done(same, List.of("%s >= ?"), column, value).keySet());
            }
        }
    }

    private interface Body {
        void run(SameInBinary same) throws Exception;
    }

    private static void with(TestServer server, Body body) throws Exception {
        try (SameAsServer owner = DATABASE.compared(server, 3);
                SameInBinary same = new SameInBinary(owner.proxy(), DATABASE.name())) {
            body.run(same);
        }
    }

    private static <T> List<T> both(List<T> some, List<T> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }

    /** Strings that hold numbers, as PHP and other clients bind them. */
    @AllServers
    void textsOfNumbers(TestServer server) throws Exception {
        with(server, same -> {
            mayStand(same, WHOLE, text("5"), text("-3"), text("0"), text("999999999999999"), text("-100000000000000"));
            mayStand(
                    same,
                    List.of("dec12", "dbl", "flt"),
                    text("5"),
                    text("5.5"),
                    text("-3.0"),
                    text("0.1"),
                    text("12.001"));
            mayStand(same, List.of("y"), text("1999"), text("2155"));
            mayStand(same, List.of("bt"), text("5"), text("0"));
            mayNotStand(
                    same,
                    WHOLE,
                    text("05"),
                    text("5.0"),
                    text(" 5"),
                    text("5 "),
                    text("abc"),
                    text(""),
                    text("-0"),
                    text("+5"),
                    text("5e0"),
                    text("1000000000000000"));
            mayNotStand(same, List.of("dec40"), text("5"));
            mayNotStand(
                    same,
                    List.of("dec12", "dbl", "flt"),
                    text("1e3"),
                    text(".5"),
                    text("0.1000000000000001"),
                    text("x"));
            mayNotStand(same, List.of("y"), text("99"), text("0"), text("2156"), text("1900"));
            mayNotStand(same, List.of("bt"), text("-3"), text("5.5"));
        });
    }

    /** Doubles, as JavaScript clients bind every number. */
    @AllServers
    void doubles(TestServer server) throws Exception {
        with(server, same -> {
            Parameter[] small = {
                number(5), number(5.5), number(-3), number(0), number(0.1), floating(0.25f), floating(12)
            };
            mayStand(same, both(WHOLE, REAL), small);
            mayStand(same, List.of("dec12"), small);
            mayStand(same, WHOLE, number(9007199254740991.0), number(1e15));
            mayStand(same, REAL, number(9007199254740992.0), number(1e300), floating(0.1f));
            mayNotStand(same, WHOLE, number(9007199254740992.0), number(-1e300), number(-0.0));
            mayNotStand(same, List.of("dec40", "y", "bt", "ci", "d", "tm"), number(5));
        });
    }

    @AllServers
    void exactNumbers(TestServer server) throws Exception {
        with(server, same -> {
            mayStand(same, REAL, bigint(5), bigint(-3), bigint(999999999999999L), decimal("5.5"), decimal("0.1"));
            mayStand(same, List.of("dec12", "dec40", "bi", "ub"), bigint(9007199254740993L), decimal("5.0000000001"));
            mayStand(same, List.of("y"), bigint(1999), bigint(1901));
            mayStand(same, List.of("bt"), bigint(5), bigint(97));
            mayNotStand(same, REAL, bigint(9007199254740993L), decimal("0.1000000000000001"));
            mayNotStand(same, List.of("y"), bigint(5), bigint(0), bigint(1), bigint(99), bigint(3000), decimal("1999"));
            mayNotStand(same, List.of("bt"), bigint(-3), decimal("5"));
            mayNotStand(same, List.of("ci", "e", "d", "tm", "vb"), bigint(5), decimal("5"));
        });
    }

    @AllServers
    void characters(TestServer server) throws Exception {
        with(server, same -> {
            List<String> conditions = both(CONDITIONS, PATTERNS);
            Parameter[] ascii = {
                text("a"), text("A "), text("abc"), text("it's"), text("a\\b"), text("a\nb"), text("5"), text("a,b")
            };
            mayStand(same, conditions, both(CHARACTERS, BYTES), ascii);
            mayStand(same, PATTERNS, CHARACTERS, text("a\\_b"), text("a\\%b"), text("a%"), text("%\\\\%"));
            Parameter[] more = {text("\u00e9"), text("\u00c9"), text("\u65e5"), text("\u00df"), text("e\u0301")};
            mayStand(same, conditions, both(UTF8MB4, BYTES), more);
            mayNotStand(same, UTF8MB4, text("\ud83d\ude00"), text("\u0000"), text("\u001a"));
            Parameter[] some = {text("\u00e9"), text("\u00c9"), text("\u00df")};
            if (server.kind() == ServerFlavor.MARIADB) {
                mayStand(same, conditions, NARROWER, some);
            } else {
                mayNotStand(same, NARROWER, more);
            }
        });
    }

    /** Sessions with another character set, or in which backslashes are ordinary characters. */
    @AllServers
    void charactersOfOtherSessions(TestServer server) throws Exception {
        with(server, same -> {
            same.onBoth("SET SESSION sql_mode = CONCAT(@@sql_mode, ',NO_BACKSLASH_ESCAPES')");
            mayStand(same, List.of("ci"), text("a"), text("\u00e9"));
            mayNotStand(same, List.of("ci"), text("a\\b"));
            same.onBoth("SET SESSION sql_mode = DEFAULT");
        });
        with(server, same -> {
            same.onBoth("SET NAMES latin1");
            mayStand(same, List.of("ci", "l1"), text("a"));
            mayNotStand(same, List.of("ci", "l1"), text("\u00e9"));
        });
        with(server, same -> {
            same.onBoth("SET character_set_connection = latin1");
            mayStand(same, List.of("ci", "l1"), text("a"));
            mayNotStand(same, List.of("ci", "l1"), text("\u00e9"));
        });
    }

    @AllServers
    void stringsOfBytes(TestServer server) throws Exception {
        with(server, same -> {
            Parameter[] values = {
                bytes(new byte[] {'a'}), bytes(new byte[0]), bytes("\u00e9".getBytes(StandardCharsets.UTF_8))
            };
            mayStand(same, both(CONDITIONS, PATTERNS), BYTES, values);
            mayNotStand(same, BYTES, bytes(new byte[] {0, 1, -1}));
            mayNotStand(same, both(WHOLE, CHARACTERS), values);
            mayNotStand(same, List.of("dbl", "bt", "d", "tm", "y"), values);
        });
    }

    @AllServers
    void daysAndTimes(TestServer server) throws Exception {
        with(server, same -> {
            mayStand(
                    same,
                    List.of("tm", "tm0"),
                    span(false, 0, 10, 59, 0),
                    span(true, 0, 10, 0, 0),
                    span(false, 4, 4, 0, 0));
            mayStand(
                    same,
                    List.of("tm", "tm0"),
                    text("10:59:00"),
                    text("-10:00:00"),
                    text("100:00:00"),
                    text("838:59:59"));
            mayStand(
                    same,
                    List.of("d", "dt", "ts"),
                    date(2001, 2, 3),
                    text("2001-02-03"),
                    text("2001-02-03 10:59:00"),
                    moment(DATETIME, "2001-02-03 10:59:00"));
            mayNotStand(
                    same,
                    List.of("tm", "tm0"),
                    text("10:59"),
                    text("105900"),
                    text("10:59:00.5"),
                    text("10:60:00"),
                    text("839:00:00"),
                    date(2001, 2, 3),
                    moment(DATETIME, "2001-02-03 10:59:00"),
                    span(false, 40, 0, 0, 0));
            mayNotStand(same, List.of("tm", "tm0"), span(true, 0, 0, 0, 0), text("-00:00:00"));
            mayNotStand(same, List.of("d", "dt", "ts", "y", "i", "ci"), span(false, 0, 10, 59, 0));
            mayNotStand(same, List.of("y", "i", "dec12", "ci", "vb"), date(2001, 2, 3));
        });
    }

    @AllServers
    void noValue(TestServer server) throws Exception {
        List<String> all = Stream.of(
                        WHOLE,
                        CHARACTERS,
                        BYTES,
                        REAL,
                        List.of("dec12", "dec40", "y", "bt", "d", "dt", "ts", "tm", "tm0"))
                .flatMap(List::stream)
                .collect(Collectors.toList());
        with(server, same -> {
            for (String column : all) {
                for (String condition : both(CONDITIONS, PATTERNS)) {
                    String sql = "SELECT id FROM t WHERE id < 40 OR " + condition.formatted(column);
                    Parameter[] values = condition.indexOf('?') == condition.lastIndexOf('?')
                            ? new Parameter[] {nothing()}
                            : new Parameter[] {nothing(), nothing()};
                    same.fansOut(sql, values);
                }
            }
        });
    }

    /**
     * MySQL rejects characters that the column's character set lacks, and does not keep the types of that execution.
     * MariaDB rejects the mix of collations.
     */
    @AllServers
    void typesAreKnownAfterAnExecutionThatFails(TestServer server) throws Exception {
        String sql = "SELECT COUNT(*), SUM(id) FROM t WHERE l1 IN (?, ?)";
        with(server, same -> {
            same.fansOut(sql, text("a"), text("b"));
            for (int i = 0; i < 2; i++) {
                assertThat(same.outcomeAgain(sql, text("\u65e5\u672c"), text("\u8a9e"))
                                .fannedOut())
                        .isFalse();
                same.outcomeAgain(sql, text("b"), text("\u00e9"));
            }
        });
    }

    /**
     * MySQL's answers and warnings depend on the types of earlier executions. MySQL does not see those of split
     * executions.
     */
    @AllServers
    void earlierTypesCount(TestServer server) throws Exception {
        List<Parameter> later = List.of(
                text("5"),
                text("abc"),
                text("10:59:00"),
                text("2001-02-03"),
                number(5.5),
                bigint(5),
                bigint(9007199254740993L),
                decimal("5.5"),
                date(2001, 2, 3),
                span(false, 0, 10, 59, 0),
                nothing());
        Map<String, List<Parameter>> first = Map.of(
                "i",
                List.of(bigint(5), text("5"), number(5)),
                "bi",
                List.of(number(5.5), text("12")),
                "dec12",
                List.of(text("5.5"), number(5)),
                "dbl",
                List.of(text("5.5"), bigint(5)),
                "bt",
                List.of(bigint(5)),
                "y",
                List.of(bigint(1999)),
                "ci",
                List.of(text("a")),
                "d",
                List.of(date(2001, 2, 3), text("2001-02-03")),
                "dt",
                List.of(moment(DATETIME, "2001-02-03 10:59:00")),
                "tm",
                List.of(span(false, 0, 10, 59, 0), text("10:59:00")));
        with(server, same -> {
            for (String column : first.keySet()) {
                for (Parameter one : first.get(column)) {
                    for (String condition : List.of("%s <> ?", "%s < ?", "%s NOT IN (?, ?)")) {
                        String sql = "SELECT id, i FROM t WHERE (" + condition.formatted(column) + ") ORDER BY id";
                        boolean two = condition.indexOf('?') != condition.lastIndexOf('?');
                        for (Parameter other : later) {
                            same.fansOut(sql, two ? new Parameter[] {one, one} : new Parameter[] {one});
                            same.outcomeOnce(sql, two ? new Parameter[] {other, other} : new Parameter[] {other});
                        }
                    }
                }
            }
            String sql = "SELECT id FROM t WHERE bi >= ? ORDER BY id";
            same.fansOut(sql, number(5));
            same.fansOut(sql, number(7));
            if (server.kind() == ServerFlavor.MYSQL) {
                same.passesThrough(Reason.PREPARED_STATE, sql, bigint(9007199254740993L));
                same.passesThrough(Reason.PREPARED_STATE, sql, number(7));
            } else {
                same.fansOut(sql, bigint(9007199254740993L));
            }
        });
    }

    /** A filter that a NULL parameter disables. */
    @AllServers
    void filtersThatMayBeLeftOut(TestServer server) throws Exception {
        with(server, same -> {
            String sql =
                    "SELECT SUM(i), COUNT(*) FROM t WHERE (? IS NULL OR i >= ?) AND (? IS NULL OR ci = ?) AND NOT (? IS NOT NULL AND d < ?)";
            Parameter[] none = {nothing(), nothing(), nothing(), nothing(), nothing(), nothing()};
            Parameter[] all = {bigint(4), bigint(4), text("5"), text("5"), date(2001, 1, 1), date(2001, 1, 1)};
            same.fansOut(sql, none);
            same.fansOut(sql, all);
            for (int left = 0; left < 6; left += 2) {
                Parameter[] some = all.clone();
                some[left] = nothing();
                some[left + 1] = nothing();
                same.fansOut(sql, some);
            }
            // the outcome remembered for the first statement must not affect the second
            String no = "SELECT COUNT(*) FROM t WHERE ? IS NOT NULL AND i >= ?";
            same.passesThrough(Reason.ALREADY_FAST, no, nothing(), bigint(5));
            same.passesThrough(Reason.ALREADY_FAST, no, nothing(), bigint(5));
            same.fansOut(no, bigint(5), bigint(5));
            same.passesThrough(Reason.PARAMETER, "SELECT ? IS NULL, COUNT(*) FROM t", nothing());
            same.passesThrough(Reason.PARAMETER, "SELECT COUNT(*) FROM t GROUP BY ci HAVING ? IS NULL", nothing());
            same.passesThrough(Reason.PARAMETER, "SELECT COUNT(*) FROM t WHERE i = (? IS NULL)", nothing());
        });
    }

    /** MariaDB raises a warning if the type of NULL differs from that of the compared value. */
    @AllServers
    void noValueOfAKind(TestServer server) throws Exception {
        List<Integer> numbers = List.of(5, 8, 8 | 0x8000, 246);
        List<Integer> times = List.of(10, 11, DATETIME);
        List<Integer> strings = List.of(252, 253);
        with(server, same -> {
            for (String column : List.of("i", "bi", "dec12", "dbl", "y", "bt")) {
                noValue(same, column, both(numbers, strings), times);
            }
            for (String column : List.of("d", "dt", "ts", "tm")) {
                noValue(same, column, both(times, strings), numbers);
            }
            for (String column : List.of("ci", "vb", "e")) {
                noValue(same, column, strings, both(numbers, times));
            }
        });
    }

    private static void noValue(SameInBinary same, String column, List<Integer> alike, List<Integer> others)
            throws Exception {
        for (int type : both(alike, others)) {
            String sql = "SELECT id, " + STATEMENTS.incrementAndGet() + " FROM t WHERE id < 40 OR " + column + " >= ?";
            assertThat(same.outcomeOnce(sql, new Parameter(type, null)).fannedOut())
                    .as("NULL of type %d beside %s", type, column)
                    .isEqualTo(alike.contains(type));
        }
    }
}
