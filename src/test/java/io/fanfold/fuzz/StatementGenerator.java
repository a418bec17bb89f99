package io.fanfold.fuzz;

import io.fanfold.fuzz.FromWriter.From;
import io.fanfold.fuzz.Term.Form;
import io.fanfold.wire.ServerFlavor;
import java.util.List;

/**
 * Generates statements, always the same one for a seed and a number. It generates only statements whose answers can be
 * compared, see {@link Soundness}. Immutable, thread-safe.
 */
final class StatementGenerator {
    private static final int ATTEMPTS = 40;

    private final long seed;
    private final int stars;
    private final Grammar grammar;
    private final FuzzSchema schema;

    /**
     * Creates one for a kind of server.
     *
     * @param seed any number
     * @param stars the percentage of FROM clauses that are star joins, 0 to 100
     * @param ranges whether the statements are for tables that are split by ranges of a key
     * @param flavor which server this is
     */
    StatementGenerator(long seed, int stars, boolean ranges, ServerFlavor flavor) {
        this.seed = seed;
        this.stars = stars;
        this.grammar = Grammar.of(flavor);
        this.schema = new FuzzSchema(flavor, ranges);
    }

    FuzzSchema schema() {
        return schema;
    }

    /**
     * Returns one statement.
     *
     * @param number from 1
     */
    Generated statement(long number) {
        Dice dice = new Dice(seed, number);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            BlockGenerator block = new BlockGenerator(grammar, schema, dice, stars);
            Statement statement = block.statement();
            Expectation expectation = statement.expectation();
            boolean cut = expectation.limited() && !expectation.total();
            if (expectation.sound() && (!cut || dice.percent(15))) {
                int disguise = dice.percent(25) ? dice.between(1, Integer.MAX_VALUE - 1) : 0;
                return new Generated(number, statement, block.starJoin(), disguise);
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
        return new Generated(number, plain, false, 0);
    }

    /**
     * A statement with its number.
     *
     * @param starJoin whether it contains a star join
     * @param disguise the seed for blanks and keywords, 0 for plain text
     */
    record Generated(long number, Statement statement, boolean starJoin, int disguise) {
        String sql() {
            return Disguise.of(disguise, statement.sql());
        }
    }
}
