package io.fanfold.sql;

import io.fanfold.sql.FunctionFacts.CallForm;
import io.fanfold.sql.FunctionFacts.ChoiceWidth;
import io.fanfold.sql.FunctionFacts.DivisionKind;
import io.fanfold.sql.FunctionFacts.FunctionKind;
import io.fanfold.wire.ServerFlavor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The functions and operators of one kind of server, read from {@code functions.tsv}. Immutable. */
public final class FunctionTable {
    private static final String NO = "-";
    private static final String BOTH = "both";
    private static final int CELLS = 13;

    private static final FunctionTable MYSQL = read("mysql");
    private static final FunctionTable MARIADB = read("mariadb");

    private final Map<String, FunctionFacts> facts;

    private FunctionTable(Map<String, FunctionFacts> facts) {
        this.facts = Map.copyOf(facts);
    }

    public static FunctionTable of(ServerFlavor flavor) {
        return flavor.isMariaDb() ? MARIADB : MYSQL;
    }

    /** Returns what is known of a function that is the same on both servers. */
    static Optional<FunctionFacts> ofBoth(String name) {
        return MYSQL.find(name).filter(known -> known.equals(MARIADB.facts.get(name)));
    }

    /**
     * Returns what is known of a function.
     *
     * @param name in upper case
     */
    public Optional<FunctionFacts> find(String name) {
        return Optional.ofNullable(facts.get(name));
    }

    /** Returns the names of the functions of which something is true. */
    Set<String> names(Predicate<FunctionFacts> what) {
        return facts.values().stream().filter(what).map(FunctionFacts::name).collect(Collectors.toUnmodifiableSet());
    }

    private static FunctionTable read(String server) {
        Map<String, FunctionFacts> facts = new HashMap<>();
        List<String> lines = ResourceLines.of("functions.tsv");
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split("\t", -1);
            if (cells.length != CELLS) {
                throw new IllegalStateException("functions.tsv: a line of other cells: " + line);
            }
            if (on(server, cells[1]) && facts.put(cells[0], facts(cells, server)) != null) {
                throw new IllegalStateException("functions.tsv: two lines for " + cells[0]);
            }
        }
        return new FunctionTable(facts);
    }

    private static FunctionFacts facts(String[] cells, String server) {
        return new FunctionFacts(
                cells[0],
                Arrays.stream(cells[2].split(" ", -1))
                        .map(kind -> FunctionKind.valueOf(upper(kind)))
                        .collect(Collectors.toSet()),
                CallForm.valueOf(upper(cells[3])),
                Optional.of(cells[4]).filter(name -> !name.equals(NO)).map(AggregateFunction::valueOf),
                cells[5].equals(NO) ? ChoiceWidth.NONE : ChoiceWidth.valueOf(upper(cells[5])),
                cells[6].equals(NO) ? DivisionKind.NONE : DivisionKind.valueOf(upper(cells[6])),
                yes(cells[7]),
                yes(cells[8]),
                yes(cells[9]),
                yes(cells[10]),
                on(server, cells[11]),
                on(server, cells[12]));
    }

    private static boolean on(String server, String cell) {
        return switch (cell) {
            case NO -> false;
            case BOTH -> true;
            case "mysql", "mariadb" -> cell.equals(server);
            default -> throw new IllegalStateException("functions.tsv: " + cell);
        };
    }

    private static boolean yes(String cell) {
        return switch (cell) {
            case NO -> false;
            case "yes" -> true;
            default -> throw new IllegalStateException("functions.tsv: " + cell);
        };
    }

    private static String upper(String word) {
        return word.toUpperCase(Locale.ROOT);
    }
}
