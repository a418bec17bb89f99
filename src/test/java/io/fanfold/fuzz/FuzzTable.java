package io.fanfold.fuzz;

import java.util.List;

/**
 * A table of the fuzz database.
 *
 * @param name as written in statements, with backquotes if needed
 * @param columns its columns
 * @param unique a column whose values are unique
 * @param ddl statements that create and fill it, in order
 */
record FuzzTable(String name, List<FuzzColumn> columns, String unique, List<String> ddl) {
    FuzzTable {
        columns = List.copyOf(columns);
        ddl = List.copyOf(ddl);
    }
}
