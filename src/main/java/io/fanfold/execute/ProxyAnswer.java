package io.fanfold.execute;

import io.fanfold.execute.ClientConnection.ClientGoneException;
import io.fanfold.execute.ClientConnection.ResultSetHeader;
import io.fanfold.row.ColumnType;
import io.fanfold.row.Row;
import io.fanfold.status.StatusTable;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers a client with a table that Fanfold itself has made. Stateless. */
final class ProxyAnswer {
    private static final Logger LOG = LoggerFactory.getLogger(ProxyAnswer.class);

    private static final int ER_UNKNOWN_ERROR = 1105;

    private ProxyAnswer() {}

    /** Sends the table, with texts in UTF-8, and ends the use of the client's connection. */
    static void send(ClientConnection client, StatusTable table, ServerFlavor flavor) {
        List<byte[]> definitions = table.columns().stream()
                .map(column -> client.column(column.name(), type(column.kind())))
                .toList();
        ClientConnection.Answer answer = client.answer(new ResultSetHeader(definitions, 0, Optional.empty()));
        try {
            for (List<@Nullable Object> row : table.rows()) {
                answer.row(payload(row));
            }
            answer.end();
        } catch (ClientGoneException e) {
            LOG.debug("session {}: the client left before it had its answer", client.backendThreadId());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            Interruption.of(QueryExecution.Cancel.STOPPING, flavor).end(answer);
        } catch (RuntimeException | Error e) {
            answer.fail(ER_UNKNOWN_ERROR, "HY000", "Fanfold: " + e);
            throw e;
        }
    }

    private static ColumnType type(StatusTable.ColumnKind kind) {
        return switch (kind) {
            case TEXT -> ColumnType.VAR_STRING;
            case INTEGER -> ColumnType.LONGLONG;
            case DECIMAL -> ColumnType.DOUBLE;
        };
    }

    private static byte[] payload(List<@Nullable Object> row) {
        List<byte @Nullable []> values = new ArrayList<>();
        for (Object value : row) {
            values.add(value == null ? null : value.toString().getBytes(StandardCharsets.UTF_8));
        }
        return Row.ofValues(values).payload();
    }
}
