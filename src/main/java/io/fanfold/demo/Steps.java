package io.fanfold.demo;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;

/** Shows which step of the start is running. Not thread-safe, unless a method says otherwise. */
public final class Steps {
    private static final Duration REDRAW = Duration.ofSeconds(1);

    private final Gate gate;
    private final PrintStream out;
    private final boolean terminal;
    private final Duration redraw;

    /** Passes bytes on until it is shut. */
    private static final class Gate extends OutputStream {
        private final PrintStream to;
        private boolean shut;

        private Gate(PrintStream to) {
            this.to = to;
        }

        @Override
        public void write(int letter) {
            write(new byte[] {(byte) letter}, 0, 1);
        }

        @Override
        public synchronized void write(byte[] bytes, int offset, int length) {
            if (!shut) {
                to.write(bytes, offset, length);
                to.flush();
            }
        }

        private synchronized void shut() {
            shut = true;
        }
    }

    /** A running step, which ends when it is closed. After its start, output goes only to a terminal. */
    public final class Step implements AutoCloseable {
        private final String what;
        private final boolean keep;
        private final long startNanos = System.nanoTime();
        private int drawn;
        private boolean ended;

        private Step(String what, boolean keep) {
            this.what = what;
            this.keep = keep;
        }

        private synchronized void drawUntilEnded() {
            try {
                while (!ended) {
                    draw();
                    wait(redraw.toMillis());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void draw() {
            String line = String.format(Locale.ROOT, "%s %.1f s", what, (System.nanoTime() - startNanos) / 1e9);
            drawn = line.length();
            out.print("\r" + line);
            out.flush();
        }

        /** Ends the step's line, or clears it if the step is a short one. */
        @Override
        public synchronized void close() {
            if (ended) {
                return;
            }
            ended = true;
            notifyAll();
            if (!terminal) {
                return;
            }
            if (keep) {
                draw();
                out.println();
            } else {
                out.print("\r" + " ".repeat(drawn) + "\r");
                out.flush();
            }
        }
    }

    /** Writes to a stream; on a terminal a line is redrawn every second. */
    public Steps(PrintStream out, boolean terminal) {
        this(out, terminal, REDRAW);
    }

    /**
     * Writes to a stream.
     *
     * @param terminal whether a carriage return moves the cursor there
     * @param redraw how often a line is redrawn on a terminal
     */
    Steps(PrintStream out, boolean terminal, Duration redraw) {
        gate = new Gate(out);
        this.out = new PrintStream(gate, true, StandardCharsets.UTF_8);
        this.terminal = terminal;
        this.redraw = redraw;
    }

    /** Writes to the standard error stream. */
    public static Steps onStandardError() {
        return new Steps(System.err, Boolean.getBoolean("fanfold.terminal"));
    }

    /** Writes nothing. */
    public static Steps silent() {
        return new Steps(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8), false);
    }

    /** Stops all output, from any thread. Steps that end after this have failed because the process is ending. */
    void end() {
        gate.shut();
    }

    /** Begins a step that takes seconds; its line stays. */
    public Step begin(String what) {
        if (!terminal) {
            out.println(what);
        }
        return begin(what, true);
    }

    /** Begins a step with a result of its own; its line appears only on terminals and is cleared at the end. */
    public Step beginShort(String what) {
        return begin(what, false);
    }

    /** Begins to load this number of rows. */
    ProgressBar beginLoading(long rows) {
        if (!terminal) {
            out.printf(Locale.ROOT, "loading %,d rows%n", rows);
        }
        return new ProgressBar(out, terminal, "loading", rows);
    }

    private Step begin(String what, boolean keep) {
        Step step = new Step(what, keep);
        if (terminal) {
            Thread drawing = new Thread(step::drawUntilEnded, "demo-step");
            drawing.setDaemon(true);
            drawing.start();
        }
        return step;
    }
}
