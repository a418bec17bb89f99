package io.fanfold.row;

/** The text of a value does not fit its type. The message shows the bytes, cut to a readable length. */
public final class MalformedValueException extends Exception {
    private static final long serialVersionUID = 1;
    private static final int SHOWN_BYTES = 40;

    /**
     * Creates an exception that shows the bytes found.
     *
     * @param expected what was expected, such as "a number"
     * @param bytes the array that contains the text
     * @param start the index of its first byte
     * @param length the number of bytes
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
