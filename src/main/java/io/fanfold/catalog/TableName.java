package io.fanfold.catalog;

/**
 * A table's full name as the server stores it.
 *
 * @param schema the database
 * @param table the table
 */
public record TableName(String schema, String table) {
    @Override
    public String toString() {
        return schema + "." + table;
    }

    /** Returns the name quoted for SQL. */
    public String quoted() {
        return quote(schema) + "." + quote(table);
    }

    /** Returns an identifier quoted with backticks for SQL. */
    public static String quote(String identifier) {
        return "`" + identifier.replace("`", "``") + "`";
    }
}
