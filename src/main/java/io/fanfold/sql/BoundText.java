package io.fanfold.sql;

import io.fanfold.reason.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The text of a prepared statement with literals in place of its parameters. It also describes the place of each
 * parameter: a literal means the same as the parameter only if both have the same type there. Immutable.
 *
 * @param sql the text with the literals
 * @param places the places of the parameters, in order
 * @param probes SELECTs of the columns that parameters are compared with, over the same tables
 */
public record BoundText(String sql, List<ParameterPlace> places, List<String> probes) {
    public BoundText {
        places = List.copyOf(places);
        probes = List.copyOf(probes);
    }

    /** The place of a parameter. */
    public sealed interface ParameterPlace {
        /**
         * It is compared with a column.
         *
         * @param probe the index of the probe that selects the column
         * @param column the index of the column in the probe, from 0
         * @param pattern whether by LIKE
         * @param unicode the probe that can only be prepared if the column's character set has all characters; -1 if
         *     that cannot be determined
         */
        record ComparedParameter(int probe, int column, boolean pattern, int unicode) implements ParameterPlace {}

        /** It is only tested for NULL. */
        record Tested() implements ParameterPlace {}

        /** It is in a LIMIT clause. */
        record LimitParameter() implements ParameterPlace {}

        /** It is anywhere else. */
        record Elsewhere() implements ParameterPlace {}
    }

    /**
     * Puts literals into a text.
     *
     * @param sql the text as it was prepared
     * @param literals one for each parameter
     * @return empty if the text cannot be read or has another number of parameters
     */
    public static Optional<BoundText> of(String sql, SqlDialect dialect, List<String> literals) {
        try {
            TokenList list = MySqlLexer.lexPrepared(sql, dialect);
            List<Integer> parameters = new ArrayList<>();
            for (int i = 0; i < list.size(); i++) {
                if (list.at(i).symbol("?")) {
                    parameters.add(i);
                }
            }
            return parameters.size() == literals.size()
                    ? Optional.of(new ParameterReader(list, dialect.flavor(), parameters, literals).bound())
                    : Optional.empty();
        } catch (RefusedException e) {
            return Optional.empty();
        }
    }
}
