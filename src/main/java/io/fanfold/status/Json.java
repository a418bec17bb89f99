package io.fanfold.status;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes facts as JSON. Stateless. */
public final class Json {
    private static final ObjectWriter WRITER = new ObjectMapper().writerWithDefaultPrettyPrinter();

    private Json() {}

    /** @param facts a text, a number, a boolean, null, or a list or a map of such facts */
    public static String of(@Nullable Object facts) {
        try {
            return WRITER.writeValueAsString(facts);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not a fact: " + facts, e);
        }
    }

    /** Returns the rows of a table as a list of objects with the names of its columns. */
    public static String of(StatusTable table) {
        List<Map<String, @Nullable Object>> objects = new ArrayList<>();
        for (List<@Nullable Object> row : table.rows()) {
            Map<String, @Nullable Object> object = new LinkedHashMap<>();
            for (int i = 0; i < row.size(); i++) {
                object.put(table.columns().get(i).name(), row.get(i));
            }
            objects.add(object);
        }
        return of((Object) objects);
    }
}
