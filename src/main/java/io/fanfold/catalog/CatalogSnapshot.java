package io.fanfold.catalog;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** The partitioned tables and the collations known at some moment. Immutable, safe for all threads. */
public interface CatalogSnapshot {
    /** The table of that name; compared as the server's lower_case_table_names says. */
    Optional<PartitionedTable> table(String schema, String table);

    Collection<PartitionedTable> tables();

    /** Whether the server tells upper case from lower case in the names of tables (lower_case_table_names is 0). */
    boolean caseSensitive();

    /** The collation of an id as column definitions carry it; empty when unknown. */
    Optional<CollationInfo> collation(int id);

    /** The collation of a name as {@code COLLATION()} gives it; empty when unknown. */
    Optional<CollationInfo> collation(String name);

    /**
     * A collation.
     *
     * @param id its id on the wire
     * @param name e.g. {@code utf8mb4_0900_ai_ci}
     * @param charset e.g. {@code utf8mb4}
     * @param padSpace whether trailing blanks do not count in comparisons
     */
    record CollationInfo(int id, String name, String charset, boolean padSpace) {
        /** How many bytes the length of a column definition counts for a character: the longest it may have (Maxlen). */
        public int bytesPerCharacter() {
            return switch (charset.toLowerCase(Locale.ROOT)) {
                case "utf8mb4", "utf16", "utf16le", "utf32", "gb18030" -> 4;
                case "utf8", "utf8mb3", "ujis", "eucjpms" -> 3;
                case "ucs2", "big5", "cp932", "euckr", "gb2312", "gbk", "sjis" -> 2;
                default -> 1;
            };
        }
    }
}
