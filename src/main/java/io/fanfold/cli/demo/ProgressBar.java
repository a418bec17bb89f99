package io.fanfold.cli.demo;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Shows how far a piece of work has come: on a terminal as a line that is drawn again, elsewhere only as a line at the end.
 * Safe for use by several threads.
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
     * Starts at nothing done.
     *
     * @param out where to draw
     * @param terminal whether a carriage return moves the cursor there
     * @param title what is being done
     * @param total how many steps make the whole, 1 or more
     */
    ProgressBar(PrintStream out, boolean terminal, String title, long total) {
        this.out = out;
        this.terminal = terminal;
        this.title = title;
        this.total = total;
        this.drawnNanos = startNanos - REDRAW_NANOS;
    }

    /** Counts further steps and draws at most ten times a second. */
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

    /** The bar as text after so much time. */
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
