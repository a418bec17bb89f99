package io.fanfold.catalog;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** The tables that may be split, and the collations, at one moment. Immutable, safe for use by multiple threads. */
public interface CatalogSnapshot {
    /** Returns the table of that name, compared according to the server's lower_case_table_names. */
    Optional<CatalogTable> table(String schema, String table);

    Collection<CatalogTable> tables();

    /** Whether table names are case-sensitive on the server (lower_case_table_names is 0). */
    boolean caseSensitive();

    /** Returns the collation of an id in a column definition; empty if unknown. */
    Optional<CollationInfo> collation(int id);

    /** Returns the collation of a name that {@code COLLATION()} returns; empty if unknown. */
    Optional<CollationInfo> collation(String name);

    /**
     * A collation.
     *
     * @param id its id in the protocol
     * @param name e.g. {@code utf8mb4_0900_ai_ci}
     * @param charset e.g. {@code utf8mb4}
     * @param padSpace whether trailing blanks are ignored in comparisons
     */
    record CollationInfo(int id, String name, String charset, boolean padSpace) {
        /**
         * Returns the bytes that a column definition's length counts for each character: the longest possible (Maxlen).
         */
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
