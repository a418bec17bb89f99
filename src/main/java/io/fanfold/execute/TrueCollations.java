package io.fanfold.execute;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.CatalogSnapshot.CollationInfo;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.plan.LogicalPlan;
import io.fanfold.plan.PreparedQueries;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.row.Row;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Finds the collations that MariaDB does not report in its column definitions.
 *
 * <p>MariaDB announces a collation with an id above 2047 under an older id: {@code utf8mb4_uca1400_as_cs} as
 * {@code utf8mb4_unicode_ci}, {@code utf8mb4_uca1400_swedish_ai_ci} as {@code utf8mb4_swedish_ci}. Seen on 10.11 for
 * all 920 {@code uca1400} collations (CollationSweepIT). MySQL announces every collation under its own id. Without
 * state.
 */
final class TrueCollations {
    private static final Set<String> UNICODE = Set.of("utf8", "utf8mb3", "utf8mb4", "ucs2", "utf16", "utf32");

    private TrueCollations() {}

    /**
     * Replaces announced collation ids by the true ones. Asks the server only if an announced id is ambiguous; the
     * query reads no row.
     *
     * @param first worker 0, with the client's settings and inside its transaction
     * @param columns the definitions of the block's inputs, in order
     * @param catalog the collations of this server
     * @return the columns, in order
     */
    static List<Column> of(WireConnection first, LogicalPlan logical, List<Column> columns, CatalogSnapshot catalog)
            throws RefusedException, IOException, ServerException {
        List<Integer> doubtful = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).type().isString() && ambiguous(columns.get(i), catalog)) {
                doubtful.add(i);
            }
        }
        if (doubtful.isEmpty()) {
            return columns;
        }
        List<Row> rows =
                first.query(PreparedQueries.collations(logical, doubtful)).rows();
        if (rows.size() != 1 || rows.get(0).columns() != doubtful.size()) {
            throw new RefusedException(Reason.COLLATION, "the server did not report the collations");
        }
        List<Column> corrected = new ArrayList<>(columns);
        for (int i = 0; i < doubtful.size(); i++) {
            Column column = columns.get(doubtful.get(i));
            String name = String.valueOf(rows.get(0).utf8(i));
            CollationInfo collation = catalog.collation(name)
                    .orElseThrow(
                            () -> new RefusedException(Reason.COLLATION, column.name() + " has collation " + name));
            corrected.set(doubtful.get(i), column.withCollation(collation.id()));
        }
        return corrected;
    }

    /**
     * Whether an announced id may mean a newer collation. Only Unicode collations have newer counterparts, but the
     * binary and general ones do not.
     */
    private static boolean ambiguous(Column column, CatalogSnapshot catalog) {
        return catalog.collation(column.collationId())
                .filter(collation -> UNICODE.contains(collation.charset().toLowerCase(Locale.ROOT)))
                .filter(collation -> !collation.name().contains("_general_")
                        && !collation.name().endsWith("_bin"))
                .isPresent();
    }
}
