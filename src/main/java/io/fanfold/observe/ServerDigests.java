package io.fanfold.observe;

import io.fanfold.client.ServerException;
import io.fanfold.row.Row;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Puts groups together that have the same digest text at the server, {@code STATEMENT_DIGEST_TEXT} of MySQL 8.0. */
final class ServerDigests {
    /** The server ends a digest with dots if it is longer than max_digest_length. */
    private static final String CUT = "...";

    private ServerDigests() {}

    /** Returns the groups in the order of their time; unchanged if the server has no digests. */
    static List<StatementGroup> apply(ExplainClient client, List<StatementGroup> groups) throws IOException {
        if (client.server().flavor().isMariaDb() || !client.server().atLeast(8, 0)) {
            return groups;
        }
        Map<List<String>, StatementGroup> together = new LinkedHashMap<>();
        for (StatementGroup group : groups) {
            StatementGroup named = group.cut() ? group : group.as(digest(client, group));
            together.merge(List.of(named.schema(), named.digest()), named, StatementGroup::with);
        }
        return together.values().stream()
                .sorted(Comparator.comparingLong(StatementGroup::nanos).reversed())
                .toList();
    }

    private static String digest(ExplainClient client, StatementGroup group) throws IOException {
        String hex = HexFormat.of().formatHex(group.sample().getBytes(StandardCharsets.UTF_8));
        List<Row> rows = new ArrayList<>();
        try {
            if (!group.schema().isEmpty()) {
                // without a schema, the server does not parse names of tables
                client.use(group.schema());
            }
            client.rows("SELECT STATEMENT_DIGEST_TEXT(CONVERT(x'" + hex + "' USING utf8mb4))", rows::add);
        } catch (ServerException e) {
            // the server cannot parse it; its error is reported when it is explained
            return group.digest();
        }
        String digest = rows.isEmpty() ? null : rows.get(0).utf8(0);
        return digest == null || digest.endsWith(CUT) ? group.digest() : digest;
    }
}
