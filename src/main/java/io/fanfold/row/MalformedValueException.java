package io.fanfold.row;

/** The text of a value is not what its type promises. The message names the bytes, cut to a readable length. */
public final class MalformedValueException extends Exception {
    private static final long serialVersionUID = 1;
    private static final int SHOWN_BYTES = 40;

    /**
     * Names the bytes that were found.
     *
     * @param expected what the bytes should have been, such as "a number"
     * @param bytes the array in which the text lies
     * @param start where the text starts
     * @param length how many bytes it has
     */
    public MalformedValueException(String expected, byte[] bytes, int start, int length) {
        super("expected " + expected + ", found " + quoted(bytes, start, length));
    }

    private static String quoted(byte[] bytes, int start, int length) {
        StringBuilder text = new StringBuilder(SHOWN_BYTES + 8).append('"');
        for (int i = start; i < start + Math.min(length, SHOWN_BYTES); i++) {
            int c = bytes[i] & 0xff;
            if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
                text.append((char) c);
            } else {
                text.append("\\x").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
            }
        }
        text.append('"');
        return length > SHOWN_BYTES
                ? text.append("... (").append(length).append(" bytes)").toString()
                : text.toString();
    }
}
