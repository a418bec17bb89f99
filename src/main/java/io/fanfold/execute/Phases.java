package io.fanfold.execute;

import java.util.Locale;

/** Where the time of one fan-out went, for the log at DEBUG. For one thread. */
final class Phases {
    private final StringBuilder text = new StringBuilder();
    private long last;

    /** Starts at the arrival of the statement. */
    Phases(long arrivalNanos) {
        last = arrivalNanos;
    }

    /** The phase that ends now. */
    void ended(String phase) {
        long now = System.nanoTime();
        text.append(text.isEmpty() ? "" : ", ")
                .append(phase)
                .append(String.format(Locale.ROOT, " %.2f", (now - last) / 1e6));
        last = now;
    }

    /** All phases with their milliseconds. */
    @Override
    public String toString() {
        return text + " ms";
    }
}
