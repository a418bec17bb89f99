package io.fanfold.execute;

import io.fanfold.catalog.KeyColumn;
import io.fanfold.plan.CostGate;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.wire.Reply;
import java.util.List;
import java.util.Optional;

/**
 * Chooses the key by whose ranges a table is split: the first column of the index that the server itself reads. Then
 * the partition queries together read what the statement would read, and in the same order.
 */
final class RangeKey {
    private RangeKey() {}

    /**
     * Returns the key.
     *
     * @param definition the reply to SHOW CREATE TABLE
     * @param explained a plan that scans the table
     * @throws RefusedException if that index has no column of a usable type at its start
     */
    static KeyColumn of(TableRef split, Reply definition, List<ExplainedTable> explained) throws RefusedException {
        String index = CostGate.scannedIndex(explained, split);
        return find(definition, index)
                .orElseThrow(
                        () -> new RefusedException(
                                Reason.KEY_RANGE,
                                (index.equals(KeyColumn.PRIMARY)
                                                ? split.name() + " has no primary key that begins with "
                                                : "index " + index + " of " + split.name() + " does not begin with ")
                                        + "an integer, DECIMAL, DATE, DATETIME or BINARY column, or CHAR of a known collation"));
    }

    /** Returns the key, if the plan scans an index that has one. */
    static Optional<KeyColumn> find(TableRef split, Reply definition, List<ExplainedTable> explained) {
        return CostGate.scans(explained, split)
                ? find(definition, CostGate.scannedIndex(explained, split))
                : Optional.empty();
    }

    private static Optional<KeyColumn> find(Reply definition, String index) {
        return TableProof.definition(definition).stream()
                .flatMap(text -> KeyColumn.of(text).stream())
                .filter(key -> key.index().equalsIgnoreCase(index))
                .findFirst();
    }
}
