package io.fanfold.demo;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Shows the progress of some work. On a terminal the line is redrawn; elsewhere one line is printed at the end.
 * Thread-safe.
 */
final class ProgressBar implements AutoCloseable {
    private static final int WIDTH = 30;
    private static final long REDRAW_NANOS = 100_000_000L;

    private final PrintStream out;
    private final boolean terminal;
    private final String title;
    private final long total;
    private final long startNanos = System.nanoTime();
    private final AtomicLong done = new AtomicLong();
    private long drawnNanos;

    /**
     * Starts with nothing done.
     *
     * @param out receives the lines
     * @param terminal whether a carriage return moves the cursor there
     * @param title the name of the work
     * @param total the number of steps, 1 or more
     */
    ProgressBar(PrintStream out, boolean terminal, String title, long total) {
        this.out = out;
        this.terminal = terminal;
        this.title = title;
        this.total = total;
        this.drawnNanos = startNanos - REDRAW_NANOS;
    }

    /** Counts further steps and redraws at most ten times a second. */
    void add(long steps) {
        done.addAndGet(steps);
        if (terminal) {
            drawIfDue();
        }
    }

    private synchronized void drawIfDue() {
        long now = System.nanoTime();
        if (now - drawnNanos >= REDRAW_NANOS) {
            drawnNanos = now;
            out.print("\r" + line(now - startNanos));
            out.flush();
        }
    }

    /** The bar as text after this time. */
    String line(long nanos) {
        long steps = Math.min(done.get(), total);
        int filled = (int) (steps * WIDTH / total);
        return String.format(
                Locale.ROOT,
                "%s [%s%s] %3d %% %,d rows %.1f s",
                title,
                "#".repeat(filled),
                "-".repeat(WIDTH - filled),
                steps * 100 / total,
                steps,
                nanos / 1e9);
    }

    /** Draws the last state and ends the line. */
    @Override
    public synchronized void close() {
        out.println((terminal ? "\r" : "") + line(System.nanoTime() - startNanos));
    }
}
