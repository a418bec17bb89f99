package io.fanfold.demo;

/** Appends the values of one row in INSERT syntax: {@code (1,'a')}. The values never need escaping. */
final class RowWriter {
    private final StringBuilder to;
    private boolean first;

    RowWriter(StringBuilder to) {
        this.to = to;
    }

    RowWriter begin() {
        to.append('(');
        first = true;
        return this;
    }

    RowWriter number(long value) {
        separate();
        to.append(value);
        return this;
    }

    /** @param value text without quotes and backslashes */
    RowWriter text(String value) {
        separate();
        to.append('\'').append(value).append('\'');
        return this;
    }

    void end() {
        to.append(')');
    }

    private void separate() {
        if (!first) {
            to.append(',');
        }
        first = false;
    }
}
