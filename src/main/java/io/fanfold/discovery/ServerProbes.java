package io.fanfold.discovery;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.pool.Lease;
import io.fanfold.row.Row;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What differs between releases and collations of a server, and is found out by asking it. Safe for all threads. */
public final class ServerProbes {
    private static final Logger LOG = LoggerFactory.getLogger(ServerProbes.class);

    /** Selects one quotation mark from a document in which it is escaped. */
    private static final String QUOTE =
            "SELECT c FROM JSON_TABLE(_utf8mb4 x'5b225c22225d', '$[*]' COLUMNS (c VARCHAR(9) PATH '$')) t";

    /** Groups by a part of a date, in a temporary table. */
    private static final String GROUPED_YEAR =
            "SELECT YEAR(d) FROM (SELECT CURRENT_DATE AS d UNION SELECT NULL) t GROUP BY YEAR(d)";

    private static final int YEAR_LENGTH = 4;

    private final ConcurrentMap<String, byte[]> padWeights = new ConcurrentHashMap<>();
    private volatile boolean readsEscapes;
    private volatile boolean signedDateParts;

    ServerProbes() {}

    /** Asks the server about its release. */
    void ask(WireConnection connection, ServerFlavor flavor) throws IOException {
        readsEscapes = flavor.isMySql() || readsEscapes(connection);
        signedDateParts = flavor.isMariaDb() && signedDateParts(connection);
    }

    private static boolean readsEscapes(WireConnection connection) throws IOException {
        try {
            List<Row> rows = connection.query(QUOTE).rows();
            return rows.size() == 1 && "\"".equals(rows.get(0).utf8(0));
        } catch (ServerException e) {
            LOG.debug("no JSON_TABLE: {}", e.toString());
            return false;
        }
    }

    private static boolean signedDateParts(WireConnection connection) throws IOException {
        try {
            return connection.query(GROUPED_YEAR).columns().get(0).length() > YEAR_LENGTH;
        } catch (ServerException e) {
            throw new IOException(e.errno() + ": " + e.getMessage(), e);
        }
    }

    /**
     * Whether JSON_TABLE decodes escape sequences in JSON strings. MariaDB 10.11.5 returns them undecoded and 10.11.18
     * does not, so the server is asked.
     */
    public boolean readsEscapes() {
        return readsEscapes;
    }

    /**
     * Whether MariaDB gives a part of a date, such as YEAR(d), room for a sign if it is a field of a temporary table.
     * 10.11.18 does and 10.11.5 does not, so the server is asked.
     */
    public boolean signedDateParts() {
        return signedDateParts;
    }

    /** The weight of one blank under a collation. Each server is asked once for each collation. */
    public Optional<byte[]> padWeight(String charset, String collation, Lease lease) {
        String key = collation + " of " + lease.facts().serverKey();
        byte[] known = padWeights.get(key);
        if (known != null) {
            return Optional.of(known);
        }
        try {
            List<Row> rows = lease.connection()
                    .query("SELECT WEIGHT_STRING(CONVERT(_utf8mb4 x'20' USING " + charset + ") COLLATE " + collation
                            + ")")
                    .rows();
            byte[] weight = rows.isEmpty() ? null : rows.get(0).bytes(0);
            if (weight == null || weight.length == 0) {
                return Optional.empty();
            }
            padWeights.put(key, weight);
            return Optional.of(weight);
        } catch (IOException | ServerException e) {
            LOG.debug("no weight of a blank in {}: {}", collation, e.toString());
            return Optional.empty();
        }
    }
}
