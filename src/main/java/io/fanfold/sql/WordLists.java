package io.fanfold.sql;

import io.fanfold.sql.FunctionFacts.CallForm;
import io.fanfold.sql.FunctionFacts.FunctionKind;
import io.fanfold.wire.ServerFlavor;
import java.util.Set;

/**
 * The words of one kind of server: its reserved words, and the functions that are safe to run on any connection. All
 * words are in upper case. Immutable.
 */
final class WordLists {
    private static final WordLists MYSQL = new WordLists(ServerFlavor.MYSQL);
    private static final WordLists MARIADB = new WordLists(ServerFlavor.MARIADB);

    private final Set<String> reserved;
    private final FunctionTable functions;

    private WordLists(ServerFlavor flavor) {
        reserved = Set.copyOf(ResourceLines.of(flavor.isMariaDb() ? "reserved-mariadb.txt" : "reserved-mysql.txt"));
        functions = FunctionTable.of(flavor);
    }

    static WordLists of(SqlDialect dialect) {
        return dialect.flavor().isMariaDb() ? MARIADB : MYSQL;
    }

    boolean reserved(String word) {
        return reserved.contains(word);
    }

    /** Whether the function is deterministic and built into every supported version of the server. */
    boolean safeFunction(String name) {
        return functions
                .find(name)
                .filter(known -> known.is(FunctionKind.SCALAR) || known.is(FunctionKind.MOMENT))
                .isPresent();
    }

    /** Whether the function is only computed WITH ROLLUP. */
    boolean isOfRollup(String name) {
        return functions
                .find(name)
                .filter(known -> known.form() == CallForm.ROLLUP)
                .isPresent();
    }

    static boolean sessionFunction(String name) {
        return FunctionTable.ofBoth(name)
                .filter(known -> known.is(FunctionKind.SESSION))
                .isPresent();
    }

    /** Whether the function is an aggregate that the model supports. */
    static boolean aggregate(String name) {
        return FunctionTable.ofBoth(name).flatMap(FunctionFacts::aggregate).isPresent();
    }

    /** Whether the function may have OVER: an aggregate only if it is exact over exact numbers or chooses a value. */
    static boolean window(String name) {
        return FunctionTable.ofBoth(name)
                .filter(known -> known.is(FunctionKind.WINDOW))
                .isPresent();
    }

    /** Returns the function of a name for which {@link #aggregate} is true. */
    static AggregateFunction aggregateFunction(String name) {
        return FunctionTable.ofBoth(name).flatMap(FunctionFacts::aggregate).orElseThrow();
    }

    /** Whether a function that is the same on both servers is written in some way. */
    static boolean hasForm(String name, CallForm form) {
        return FunctionTable.ofBoth(name).filter(known -> known.form() == form).isPresent();
    }
}
