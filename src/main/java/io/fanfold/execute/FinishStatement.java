package io.fanfold.execute;

import io.fanfold.plan.FanOutPlan.Carrier;
import io.fanfold.plan.FanOutPlan.Finish;
import io.fanfold.row.Row;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/**
 * Writes a finish query: the merged rows as a JSON document inside a JSON_TABLE with exactly declared types. The
 * document stands as a hexadecimal literal with its own character set, so it reads the same under every sql_mode and
 * client character set, and no value can end it. For one thread.
 *
 * <p>Values travel as JSON strings, NULL as null; the server converts them to the declared types, and raises an error
 * where it cannot ({@code ERROR ON ERROR}).
 */
final class FinishStatement {
    /** Beyond this many characters a column is declared as LONGTEXT, to stay inside the row size limit. */
    private static final int MAX_VARCHAR = 255;

    private final List<Carrier> carriers;
    private final Finish.Query finish;
    private final boolean escapes;
    private final int[] longest;
    private final StringBuilder json = new StringBuilder("[");
    private long rows;

    /** @param escapes whether texts may need escapes in JSON, see {@link CatalogWatch#readsEscapes} */
    FinishStatement(Finish.Query finish, boolean escapes) {
        this.finish = finish;
        this.escapes = escapes;
        this.carriers = finish.carriers();
        this.longest = new int[carriers.size()];
    }

    /** A value that cannot travel exactly. */
    static final class CarrierException extends Exception {
        private static final long serialVersionUID = 1;

        CarrierException(String message) {
            super(message);
        }
    }

    /** Adds a merged row; its columns are those of the carriers. */
    void add(Row row) throws CarrierException {
        json.append(rows++ == 0 ? "[" : ",[");
        for (int i = 0; i < carriers.size(); i++) {
            if (i > 0) {
                json.append(',');
            }
            byte[] value = row.bytes(i);
            if (value == null) {
                json.append("null");
            } else {
                json.append('"');
                append(i, value);
                json.append('"');
            }
        }
        json.append(']');
    }

    private void append(int column, byte[] value) throws CarrierException {
        Carrier carrier = carriers.get(column);
        if (carrier instanceof Carrier.Bytes) {
            String text = Base64.getEncoder().encodeToString(value);
            longest[column] = Math.max(longest[column], text.length());
            json.append(text);
            return;
        }
        CharBuffer text = strictUtf8(value);
        if (carrier instanceof Carrier.Typed typed) {
            if (typed.temporal() && hasZeroPart(text)) {
                throw new CarrierException("a zero date: " + text);
            }
            if (typed.declaration().equals("year") && text.length() < 4) {
                // MIN and MAX show a YEAR of zero as 0 where no temporary table is used; the string '0' is the year
                // 2000
                throw new CarrierException("a year of one digit");
            }
            json.append(text);
            return;
        }
        longest[column] = Math.max(longest[column], text.length());
        boolean unicode = carrier instanceof Carrier.Characters characters
                && characters.charset().startsWith("utf8");
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < 0x20 && !unicode) {
                throw new CarrierException("a control character in another character set than Unicode");
            }
            if (isEscaped(text.charAt(i)) && !escapes) {
                throw new CarrierException(
                        "a sign that JSON escapes, which the server would leave as it is written there");
            }
            appendEscaped(text.charAt(i));
        }
    }

    private static boolean isEscaped(char c) {
        return c == '"' || c == '\\' || c < 0x20;
    }

    private void appendEscaped(char c) {
        if (c == '"' || c == '\\') {
            json.append('\\').append(c);
        } else if (c < 0x20) {
            json.append("\\u00").append(HexFormat.of().toHexDigits((byte) c));
        } else {
            json.append(c);
        }
    }

    /** Whether year, month or day of a date is zero: modes such as NO_ZERO_DATE would turn it into NULL. */
    private static boolean hasZeroPart(CharBuffer date) {
        String text = date.toString();
        return text.startsWith("0000") || text.startsWith("-00", 4) || text.startsWith("-00", 7);
    }

    private static CharBuffer strictUtf8(byte[] value) throws CarrierException {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(value));
        } catch (CharacterCodingException e) {
            throw new CarrierException("a value that is no UTF-8 text");
        }
    }

    /** The statement. */
    String sql() {
        List<String> declarations = new ArrayList<>();
        for (int i = 0; i < carriers.size(); i++) {
            declarations.add("c" + i + " " + declaration(i) + " PATH '$[" + i + "]' NULL ON EMPTY ERROR ON ERROR");
        }
        byte[] document = (json + "]").getBytes(StandardCharsets.UTF_8);
        String hex = HexFormat.of().formatHex(document);
        return finish.beforeTable() + "JSON_TABLE(_utf8mb4 x'" + hex + "', '$[*]' COLUMNS ("
                + String.join(", ", declarations) + ")) AS ff" + finish.afterTable();
    }

    private String declaration(int column) {
        Carrier carrier = carriers.get(column);
        if (carrier instanceof Carrier.Typed typed) {
            return typed.declaration();
        }
        if (carrier instanceof Carrier.Characters characters) {
            return text(Math.max(characters.atLeast(), longest[column])) + " character set " + characters.charset()
                    + " collate " + characters.collation();
        }
        return text(longest[column]) + " character set latin1 collate latin1_bin";
    }

    private static String text(int length) {
        return length <= MAX_VARCHAR ? "varchar(" + Math.max(1, length) + ")" : "longtext";
    }
}
