package io.fanfold.pool;

import io.fanfold.variables.ResultsCharset;
import io.fanfold.variables.SessionSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the variables of one worker connection, so that only differences are sent. For use by one thread at a time.
 */
public final class WorkerSession {
    private static final List<String> CONNECTION_CHARSET = List.of("character_set_connection", "collation_connection");

    private final Map<String, String> known = new HashMap<>();
    private @Nullable String database;

    /**
     * Returns the statements that apply a client session's settings: at most one USE and one SET. If the database's
     * name is not ASCII, another SET precedes them. All must be sent as UTF-8. Their effect is assumed from now on, so
     * a worker on which one fails must not be used again.
     */
    public List<String> statements(SessionSettings settings, ResultsCharset results) {
        List<String> statements = new ArrayList<>();
        String wanted = settings.database();
        if (wanted != null && !wanted.equals(database)) {
            if (!StandardCharsets.US_ASCII.newEncoder().canEncode(wanted)) {
                statements.add("SET character_set_client = utf8mb4");
                known.remove("character_set_client");
            }
            statements.add("USE `" + wanted.replace("`", "``") + "`");
            database = wanted;
        }
        Map<String, String> assignments = settings.assignments(results);
        if (CONNECTION_CHARSET.stream().anyMatch(name -> differs(name, assignments))) {
            CONNECTION_CHARSET.forEach(known::remove);
        }
        String set = assignments.entrySet().stream()
                .filter(entry -> differs(entry.getKey(), assignments))
                .map(entry -> entry.getKey() + " = " + entry.getValue())
                .collect(Collectors.joining(", "));
        if (!set.isEmpty()) {
            statements.add("SET " + set);
        }
        known.putAll(assignments);
        return statements;
    }

    private boolean differs(String name, Map<String, String> wanted) {
        String value = wanted.get(name);
        return value != null && !value.equals(known.get(name));
    }
}
