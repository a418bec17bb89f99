package io.fanfold.execute;

import io.fanfold.client.RowStream;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.operator.BudgetExceededException;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.plan.KeyFilter;
import io.fanfold.plan.KeyList;
import io.fanfold.row.Row;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the key lists of one block. For one thread. */
final class KeyReader {
    private static final Logger LOG = LoggerFactory.getLogger(KeyReader.class);

    private final WireConnection worker;
    private final MemoryBudget budget;
    private final long mostBytes;
    private final int copies;
    private long bytes;

    /**
     * A reader.
     *
     * @param worker runs the queries
     * @param budget counts the bytes of the lists, until the caller closes it
     * @param mostBytes the maximum bytes of all lists together
     * @param copies the number of copies of a list in memory at once
     */
    KeyReader(WireConnection worker, MemoryBudget budget, long mostBytes, int copies) {
        this.worker = worker;
        this.budget = budget;
        this.mostBytes = mostBytes;
        this.copies = copies;
    }

    /**
     * Reads the keys of a filter.
     *
     * @param most the maximum number of keys
     * @return empty if it has more keys, too many bytes or a key without a literal, or if reading raised a warning
     */
    Optional<KeyList> read(KeyFilter filter, long most) throws IOException, ServerException {
        Literals list = new Literals(filter);
        long rows = 0;
        byte[] query = filter.query(most + 1).getBytes(StandardCharsets.UTF_8);
        try (RowStream stream = worker.stream(query, budget)) {
            for (Row row = stream.next(); row != null; row = stream.next()) {
                rows++;
                String key = row.ascii(0);
                if (key != null) {
                    list.add(key);
                }
            }
            if (stream.warnings() > 0) {
                list.refuse("the query raised a warning");
            }
        }
        if (rows > most) {
            list.refuse("more than " + most + " keys");
        }
        return list.end();
    }

    /**
     * One list while it is read. Rows after a refusal are dropped, because the query's answer must be read to its end.
     */
    private final class Literals {
        private final KeyFilter filter;
        private final ByteArrayOutputStream text = new ByteArrayOutputStream();
        private String refused = "";
        private long reserved;
        private int keys;

        Literals(KeyFilter filter) {
            this.filter = filter;
        }

        void refuse(String why) {
            refused = why;
        }

        void add(String key) {
            if (!refused.isEmpty()) {
                return;
            }
            if (!filter.known(key)) {
                refuse("a key has no literal");
                return;
            }
            filter.literal(key).ifPresent(this::put);
        }

        private void put(String literal) {
            int more = literal.length() + 1;
            if (bytes + more > mostBytes) {
                refuse("the lists are longer than " + mostBytes + " bytes");
                return;
            }
            try {
                budget.reserve((long) more * copies);
            } catch (BudgetExceededException e) {
                refuse(String.valueOf(e.getMessage()));
                return;
            }
            bytes += more;
            reserved += more;
            if (keys++ > 0) {
                text.write(',');
            }
            text.writeBytes(literal.getBytes(StandardCharsets.US_ASCII));
        }

        Optional<KeyList> end() {
            if (!refused.isEmpty()) {
                LOG.debug("no dynamic filter on {}: {}", filter.column(), refused);
                bytes -= reserved;
                budget.release(reserved * copies);
                return Optional.empty();
            }
            return Optional.of(
                    keys == 0
                            ? KeyList.none(filter.column())
                            : new KeyList(filter.column(), text.toByteArray(), keys, false));
        }
    }
}
