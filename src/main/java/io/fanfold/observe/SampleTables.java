package io.fanfold.observe;

import io.fanfold.catalog.CreateTable;
import io.fanfold.catalog.CreateTableFacts;
import io.fanfold.catalog.TableName;
import io.fanfold.client.ServerException;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Row;
import io.fanfold.sql.SelectReader;
import io.fanfold.sql.SqlDialect;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Finds the tables of sample statements, and reads their definitions as the client's account. For one thread. */
final class SampleTables implements AutoCloseable {
    private final ExplainClient client;
    private final SqlDialect dialect;
    private final ScheduledExecutorService watchdog = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "parser-watchdog");
        thread.setDaemon(true);
        return thread;
    });
    private final SelectReader reader = new SelectReader(watchdog);
    private final Map<TableName, Optional<SampleTable>> known = new HashMap<>();

    /**
     * A table, as its definition shows it.
     *
     * @param foreignKeys whether it has foreign keys of its own, with which servers do not partition a table
     */
    record SampleTable(CreateTableFacts facts, boolean foreignKeys) {}

    SampleTables(ExplainClient client, SqlDialect dialect) {
        this.client = client;
        this.dialect = dialect;
    }

    /** Returns the names in a group's sample, each once; none if the sample cannot be read. */
    List<TableName> names(StatementGroup group) {
        try {
            return reader.read(group.sample(), dialect).tables().stream()
                    .map(table -> new TableName(table.schema() == null ? group.schema() : table.schema(), table.name()))
                    .filter(name -> !name.schema().isEmpty())
                    .distinct()
                    .toList();
        } catch (RefusedException e) {
            return List.of();
        }
    }

    /** Returns a table's definition; empty if there is no such table, or it must not be read. */
    Optional<SampleTable> table(TableName name) throws IOException {
        Optional<SampleTable> found = known.get(name);
        if (found == null) {
            found = read(name);
            known.put(name, found);
        }
        return found;
    }

    private Optional<SampleTable> read(TableName name) throws IOException {
        List<Row> rows = new ArrayList<>();
        try {
            client.rows("SHOW CREATE TABLE " + name.quoted(), rows::add);
        } catch (ServerException e) {
            return Optional.empty();
        }
        String text = rows.isEmpty() ? null : rows.get(0).utf8(1);
        return text == null
                ? Optional.empty()
                : Optional.of(new SampleTable(CreateTable.read(text), text.contains("FOREIGN KEY (")));
    }

    @Override
    public void close() {
        watchdog.shutdownNow();
    }
}
