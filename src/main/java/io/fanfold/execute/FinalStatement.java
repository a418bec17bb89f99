package io.fanfold.execute;

import io.fanfold.discovery.ServerProbes;
import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.FanOutPlan.Completion;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.CalendarDay;
import io.fanfold.row.Row;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * Writes a final query: the merged rows as a JSON document inside a JSON_TABLE with exactly declared types. The
 * document is a hexadecimal literal with its own character set. So it has the same meaning under every sql_mode and
 * client character set, and no value can end it. Used by one thread.
 *
 * <p>Values are JSON strings, and NULL is null. The server converts them to the declared types, and raises an error if
 * it cannot ({@code ERROR ON ERROR}).
 */
final class FinalStatement {
    /** A longer column is declared as LONGTEXT, to stay within the row size limit. */
    private static final int MAX_VARCHAR = 255;

    /** The number of bytes encoded at once: a multiple of 3, so that only the last piece has padding. */
    private static final int PIECE = 3 * 1024;

    private final List<ColumnEncoding> encodings;
    private final Completion.FinalQuery finish;
    private final boolean escapes;
    private final int[] longest;
    private final StatementBytes out;
    private long rows;

    /**
     * A final query without rows.
     *
     * @param escapes whether texts may need escapes in JSON, see {@link ServerProbes#readsEscapes}
     * @param out the query is appended to it
     */
    FinalStatement(Completion.FinalQuery finish, boolean escapes, StatementBytes out) throws RefusedException {
        this.finish = finish;
        this.escapes = escapes;
        this.encodings = finish.encodings();
        this.longest = new int[encodings.size()];
        this.out = out;
        out.text(finish.beforeTable() + "JSON_TABLE(_utf8mb4 x'");
        out.hex('[');
    }

    /** A value that cannot be transferred exactly. */
    static final class EncodingException extends Exception {
        private static final long serialVersionUID = 1;

        EncodingException(String message) {
            super(message);
        }
    }

    /** Adds a merged row. Its columns have the column encodings in order. */
    void add(Row row) throws EncodingException, RefusedException {
        if (rows++ > 0) {
            out.hex(',');
        }
        out.hex('[');
        for (int i = 0; i < encodings.size(); i++) {
            if (i > 0) {
                out.hex(',');
            }
            byte[] value = row.bytes(i);
            if (value == null) {
                plain("null".getBytes(StandardCharsets.US_ASCII));
            } else {
                out.hex('"');
                append(i, value);
                out.hex('"');
            }
        }
        out.hex(']');
    }

    private void plain(byte[] bytes) throws RefusedException {
        out.hex(bytes, 0, bytes.length);
    }

    private void append(int column, byte[] value) throws EncodingException, RefusedException {
        ColumnEncoding encoding = encodings.get(column);
        if (encoding instanceof ColumnEncoding.BinaryEncoding) {
            longest[column] =
                    (int) Math.max(longest[column], Math.min(Integer.MAX_VALUE, 4 * ((value.length + 2L) / 3)));
            for (int at = 0; at < value.length; at += PIECE) {
                plain(Base64.getEncoder().encode(Arrays.copyOfRange(value, at, Math.min(value.length, at + PIECE))));
            }
            return;
        }
        int characters = characters(value);
        if (encoding instanceof ColumnEncoding.TypedEncoding typed) {
            if (typed.temporal() && mayChange(typed, value)) {
                throw new EncodingException(
                        "a zero year or no day of the calendar: " + new String(value, StandardCharsets.UTF_8));
            }
            if (typed.declaration().equals("year") && characters < 4) {
                // without a temporary table MIN and MAX show a YEAR of zero as 0, and the string '0' is the year 2000
                throw new EncodingException("a year of one digit");
            }
            if (typed.declaration().startsWith("decimal") && isNegativeZero(value)) {
                // MariaDB shows -4.00 % 2 as -0.00, but reads that text as 0.00
                throw new EncodingException("a zero with a minus: " + new String(value, StandardCharsets.UTF_8));
            }
            plain(value);
            return;
        }
        longest[column] = Math.max(longest[column], characters);
        boolean unicode = encoding instanceof ColumnEncoding.TextEncoding text
                && text.charset().startsWith("utf8");
        text(value, unicode);
    }

    /** Adds a text. Bytes above ASCII belong to characters that JSON does not escape. */
    private void text(byte[] value, boolean unicode) throws EncodingException, RefusedException {
        int done = 0;
        for (int i = 0; i < value.length; i++) {
            byte one = value[i];
            boolean control = one >= 0 && one < 0x20;
            if (!control && one != '"' && one != '\\') {
                continue;
            }
            if (control && !unicode) {
                throw new EncodingException("a control character in another character set than Unicode");
            }
            if (!escapes) {
                throw new EncodingException(
                        "a sign that JSON escapes, which the server would leave as it is written there");
            }
            out.hex(value, done, i);
            out.hex('\\');
            if (control) {
                plain("u%04x".formatted(one).getBytes(StandardCharsets.US_ASCII));
            } else {
                out.hex(one);
            }
            done = i + 1;
        }
        out.hex(value, done, value.length);
    }

    private static boolean isNegativeZero(byte[] number) {
        if (number.length == 0 || number[0] != '-') {
            return false;
        }
        for (byte digit : number) {
            if (digit > '0') {
                return false;
            }
        }
        return true;
    }

    /** Whether the final query may turn a date or a year into NULL, or compute a different result with it. */
    private static boolean mayChange(ColumnEncoding.TypedEncoding typed, byte[] value) {
        return typed.declaration().startsWith("date")
                ? !CalendarDay.startsWithOne(value, 0, value.length)
                : new String(value, StandardCharsets.UTF_8).startsWith("0000");
    }

    /** The number of UTF-16 units of a text, at least the number of characters that the server counts. */
    private static int characters(byte[] value) throws EncodingException {
        int at = 0;
        while (at < value.length && value[at] >= 0) {
            at++;
        }
        if (at == value.length) {
            return at;
        }
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteBuffer rest = ByteBuffer.wrap(value, at, value.length - at);
        CharBuffer piece = CharBuffer.allocate(Math.min(PIECE, value.length - at));
        int count = at;
        CoderResult result;
        do {
            piece.clear();
            result = decoder.decode(rest, piece, true);
            count += piece.position();
        } while (result.isOverflow());
        if (result.isError()) {
            throw new EncodingException("a value that is no UTF-8 text");
        }
        return count;
    }

    /** Ends the query. */
    void end() throws RefusedException {
        List<String> declarations = new ArrayList<>();
        for (int i = 0; i < encodings.size(); i++) {
            declarations.add("c" + i + " " + declaration(i) + " PATH '$[" + i + "]' NULL ON EMPTY ERROR ON ERROR");
        }
        out.hex(']');
        out.text("', '$[*]' COLUMNS (" + String.join(", ", declarations) + ")) AS ff" + finish.afterTable());
    }

    private String declaration(int column) {
        ColumnEncoding encoding = encodings.get(column);
        if (encoding instanceof ColumnEncoding.TypedEncoding typed) {
            return typed.declaration();
        }
        if (encoding instanceof ColumnEncoding.TextEncoding characters) {
            return text(Math.max(characters.atLeast(), longest[column])) + " character set " + characters.charset()
                    + " collate " + characters.collation();
        }
        return text(longest[column]) + " character set latin1 collate latin1_bin";
    }

    private static String text(int length) {
        return length <= MAX_VARCHAR ? "varchar(" + Math.max(1, length) + ")" : "longtext";
    }
}
