package io.fanfold.plan;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.CatalogTable;
import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.catalog.TableName;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectReader;
import io.fanfold.sql.SqlDialect;
import io.fanfold.sql.StatementModel;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.jspecify.annotations.Nullable;

/** Parsed statements, and a catalog to plan them with. */
public final class Sample {
    private Sample() {}

    /** Reads a statement as a MySQL session with default settings would. */
    static SelectModel read(String sql) {
        return statement(sql).select().orElseThrow();
    }

    /** Reads a statement with everything nested inside it. */
    static StatementModel statement(String sql) {
        ScheduledThreadPoolExecutor watchdog = new ScheduledThreadPoolExecutor(1);
        try {
            return new SelectReader(watchdog)
                    .read(sql, new SqlDialect(ServerFlavor.MYSQL, false, false, StandardCharsets.UTF_8));
        } catch (RefusedException e) {
            throw new AssertionError(sql, e);
        } finally {
            watchdog.shutdownNow();
        }
    }

    /** Plans a statement that must be splittable. */
    public static LogicalStatement analyze(
            SplitPlanner planner, String sql, @Nullable String schema, CatalogSnapshot catalog) {
        try {
            return planner.analyze(statement(sql), schema, catalog);
        } catch (RefusedException e) {
            throw new AssertionError(sql, e);
        }
    }

    /** A part of partitions without rows. */
    static Part part(String... names) {
        return new Part(
                0,
                Arrays.stream(names).map(name -> new Partition(name, name, 0)).toList());
    }

    static Column column(String name, ColumnType type, int collation, long length, int flags, int decimals) {
        return new Column("", "", "", name, "", collation, length, type, flags, decimals);
    }

    static Column integer(String name) {
        return column(name, ColumnType.LONG, 63, 11, 0, 0);
    }

    static Column text(String name, int collation) {
        return column(name, ColumnType.VAR_STRING, collation, 80, 0, 0);
    }

    public static CatalogTable table(String schema, String name, long rowsOfEach) {
        return new CatalogTable(
                new TableName(schema, name),
                "HASH",
                "id",
                List.of(new Partition("p0", "p0", rowsOfEach), new Partition("p1", "p1", rowsOfEach)));
    }

    /** Returns a catalog of these tables, and of collations 45 (PAD SPACE), 255 (NO PAD) and the odd ones from 900. */
    public static CatalogSnapshot catalog(CatalogTable... tables) {
        return new Known(List.of(tables));
    }

    private record Known(List<CatalogTable> known) implements CatalogSnapshot {
        @Override
        public boolean caseSensitive() {
            return true;
        }

        @Override
        public Optional<CatalogTable> table(String schema, String table) {
            return known.stream()
                    .filter(one -> one.name().equals(new TableName(schema, table)))
                    .findFirst();
        }

        @Override
        public Collection<CatalogTable> tables() {
            return known;
        }

        @Override
        public Optional<CollationInfo> collation(String name) {
            return Optional.empty();
        }

        @Override
        public Optional<CollationInfo> collation(int id) {
            return switch (id) {
                case 45 -> info(id, "utf8mb4_general_ci", "utf8mb4", true);
                case 255 -> info(id, "utf8mb4_0900_ai_ci", "utf8mb4", false);
                case 278 -> info(id, "utf8mb4_0900_as_cs", "utf8mb4", false);
                case 900 -> info(id, "cp1250_czech_cs", "cp1250", true);
                case 901 -> info(id, "big5_chinese_ci", "big5", true);
                case 902 -> info(id, "tis620_thai_ci", "tis620", true);
                case 903 -> info(id, "utf8mb4_uca1400_as_cs", "utf8mb4", true);
                case 904 -> info(id, "utf8mb4_uca1400_as_ci", "utf8mb4", true);
                case 905 -> info(id, "utf8mb4_uca1400_ai_cs", "utf8mb4", true);
                case 906 -> info(id, "utf8mb4_uca1400_ai_ci", "utf8mb4", true);
                case 907 -> info(id, "gb18030_chinese_ci", "gb18030", true);
                case 908 -> info(id, "utf8mb4_uca1400_nopad_ai_cs", "utf8mb4", false);
                case 909 -> info(id, "utf8mb4_thai_520_w2", "utf8mb4", true);
                case 910 -> info(id, "utf8mb4_uca1400_nopad_as_cs", "utf8mb4", false);
                case 911 -> info(id, "utf8mb4_uca1400_vietnamese_nopad_as_cs", "utf8mb4", false);
                case 912 -> info(id, "latin7_general_ci", "latin7", true);
                case 913 -> info(id, "euckr_korean_ci", "euckr", true);
                default -> Optional.empty();
            };
        }

        private static Optional<CollationInfo> info(int id, String name, String charset, boolean padSpace) {
            return Optional.of(new CollationInfo(id, name, charset, padSpace));
        }
    }
}
