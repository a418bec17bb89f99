package io.fanfold.cli.fuzz;

import io.fanfold.cli.fuzz.FromWriter.From;
import io.fanfold.cli.fuzz.Term.Form;
import java.util.List;

/**
 * Makes statements: always the same one for a seed and a number. Only such whose answers can be compared, see
 * {@link Soundness}. Immutable, safe for all threads.
 */
final class StatementGenerator {
    private static final int ATTEMPTS = 40;

    private final long seed;
    private final Grammar grammar;
    private final FuzzSchema schema;

    /**
     * For one kind of server.
     *
     * @param seed any number
     * @param mariaDb whether the server is MariaDB
     */
    StatementGenerator(long seed, boolean mariaDb) {
        this.seed = seed;
        this.grammar = Grammar.of(mariaDb);
        this.schema = new FuzzSchema(mariaDb);
    }

    FuzzSchema schema() {
        return schema;
    }

    /**
     * One statement.
     *
     * @param number from 1
     */
    Generated statement(long number) {
        Dice dice = new Dice(seed, number);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Statement statement = new BlockGenerator(grammar, schema, dice).statement();
            Expectation expectation = statement.expectation();
            boolean cut = expectation.limited() && !expectation.total();
            if (expectation.sound() && (!cut || dice.percent(15))) {
                return new Generated(number, statement, dice.percent(25) ? dice.between(1, Integer.MAX_VALUE - 1) : 0);
            }
        }
        From from = new FromWriter(schema, dice).single();
        Query plain = new Query(
                List.of(),
                false,
                List.of(new Item(from.scope().of(0, "id"), "")),
                from.sources(),
                List.of(),
                List.of(),
                false,
                List.of(),
                "",
                List.of(new Term(from.scope().of(0, "id"), Form.EXPRESSION, false)),
                new Limit(5, -1, false));
        return new Generated(number, plain, 0);
    }

    /**
     * A statement with its number.
     *
     * @param disguise how blanks and key words are written, 0 for plainly
     */
    record Generated(long number, Statement statement, int disguise) {
        String sql() {
            return Disguise.of(disguise, statement.sql());
        }
    }
}
