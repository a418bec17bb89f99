package io.fanfold.merge;

import io.fanfold.row.Row;

/**
 * A value and what it is compared by are NULL together. They are not where the server could not compute a weight, for
 * instance because it is longer than max_allowed_packet.
 */
final class KeyPresence {
    private KeyPresence() {}

    static void check(Row row, int valueColumn, int keyColumn) throws FoldException {
        if (row.isNull(valueColumn) != row.isNull(keyColumn)) {
            throw new FoldException(
                    FoldException.Kind.KEY_MISSING,
                    "column " + valueColumn + (row.isNull(valueColumn) ? " is" : " is not") + " NULL, unlike column "
                            + keyColumn + " by which it is compared");
        }
    }
}
