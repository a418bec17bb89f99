package io.fanfold.operator;

import io.fanfold.row.Row;

/**
 * Checks that a value and its comparison key are both NULL or both not. They differ if the server could not compute a
 * weight, for example because it is longer than max_allowed_packet.
 */
final class KeyPresence {
    private KeyPresence() {}

    static void check(Row row, int valueColumn, int keyColumn) throws MergeException {
        if (row.isNull(valueColumn) != row.isNull(keyColumn)) {
            throw new MergeException(
                    MergeException.MergeFailure.KEY_MISSING,
                    "column " + valueColumn + (row.isNull(valueColumn) ? " is" : " is not") + " NULL, unlike column "
                            + keyColumn + " by which it is compared");
        }
    }
}
