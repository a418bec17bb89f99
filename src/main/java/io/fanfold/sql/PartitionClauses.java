package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.SelectModel.PartitionClause;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Takes the PARTITION clauses out of a block's tokens, because the parser would read them as aliases. A clause may only
 * directly follow a table's name. The reader of that name claims it; unclaimed clauses are refused. For one block, one
 * thread.
 *
 * <pre>
 * FROM t PARTITION (p1, p3) AS x JOIN u   is read as   FROM t AS x JOIN u
 * </pre>
 */
final class PartitionClauses {
    private final TokenList list;

    /** The clauses by the end of the token that they follow. */
    private final Map<Integer, PartitionClause> unclaimed = new HashMap<>();

    private PartitionClauses(TokenList whole) {
        List<Token> tokens = new ArrayList<>();
        for (int i = 0; i < whole.size(); i++) {
            int end = tokens.isEmpty() ? i : end(whole, i);
            if (end > i) {
                Token before = whole.at(i - 1);
                unclaimed.put(before.end(), new PartitionClause(whole.span(i, end), names(whole, i, end)));
                i = end - 1;
            } else {
                tokens.add(whole.at(i));
            }
        }
        list = new TokenList(whole.sql(), tokens, whole.hints());
    }

    /** Takes the clauses out of a block without subqueries. */
    static PartitionClauses takenFrom(TokenList block) {
        return new PartitionClauses(block);
    }

    /**
     * Returns the index after a clause {@code PARTITION (name, ...)} that starts at {@code start}; {@code start} if
     * there is none.
     */
    private static int end(TokenList whole, int start) {
        if (!whole.at(start).is("PARTITION") || !whole.at(start + 1).symbol("(")) {
            return start;
        }
        int at = start + 1;
        do {
            if (!whole.at(at + 1).named()) {
                return start;
            }
            at += 2;
        } while (whole.at(at).symbol(","));
        return whole.at(at).symbol(")") ? at + 1 : start;
    }

    private static List<String> names(TokenList whole, int start, int end) {
        List<String> names = new ArrayList<>();
        for (int i = start + 2; i < end; i += 2) {
            names.add(whole.at(i).name(whole.sql()));
        }
        return names;
    }

    /** Returns the block's tokens without the clauses. */
    TokenList list() {
        return list;
    }

    /** Returns the clause directly after the table's name that ends at {@code nameEnd}. */
    Optional<PartitionClause> claim(int nameEnd) {
        return Optional.ofNullable(unclaimed.remove(nameEnd));
    }

    /**
     * @throws RefusedException if a clause follows anything other than a table's name
     */
    void requireAllClaimed() throws RefusedException {
        for (PartitionClause clause : unclaimed.values()) {
            throw RefusedException.at(
                    Reason.EXPLICIT_PARTITION,
                    "not after a table's name",
                    clause.span().start());
        }
    }
}
