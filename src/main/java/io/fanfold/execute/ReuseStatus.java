package io.fanfold.execute;

import io.fanfold.binlog.StreamState;
import io.fanfold.status.StatusSource;
import io.fanfold.status.StatusTable;
import io.fanfold.status.StatusTable.StatusColumn;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What is kept for reuse, and how far the server's binary log has been read, as a status with one row. Safe for all threads. */
record ReuseStatus(PartialReuse reuse) implements StatusSource {
    @Override
    public StatusTable read(Viewer viewer) {
        Optional<StreamState> stream = reuse.stream();
        return new StatusTable(
                List.of(
                        StatusColumn.text("BINARY_LOG"),
                        StatusColumn.text("POSITION"),
                        StatusColumn.text("CAUSE"),
                        StatusColumn.integer("EVENTS"),
                        StatusColumn.integer("QUERIES_KEPT"),
                        StatusColumn.integer("BYTES")),
                0,
                List.of(row(stream)));
    }

    private List<@Nullable Object> row(Optional<StreamState> stream) {
        String log = stream.isEmpty() ? "OFF" : stream.get().connected() ? "CONNECTED" : "NOT CONNECTED";
        return Arrays.asList(
                log,
                stream.map(StreamState::position).map(Object::toString).orElse(null),
                stream.map(StreamState::cause).filter(cause -> !cause.isEmpty()).orElse(null),
                stream.map(StreamState::events).orElse(0L),
                (long) reuse.results().size(),
                reuse.results().heapBytes());
    }
}
