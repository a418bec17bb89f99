package io.fanfold.bench;

import io.fanfold.bench.PointLoad.Measured;
import io.fanfold.bench.Target.Miss;
import io.fanfold.demo.Endpoint;
import io.fanfold.demo.TextTable;
import io.fanfold.demo.TextTable.Heading;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Measures statements that are passed through, compared with the server itself and a plain TCP relay.
 */
final class PassThroughBench {
    /** 16 clients then need a small part of two cores, so that a statement does not wait for others. */
    private static final Duration EVERY = Duration.ofMillis(20);

    private static final List<Load> LOADS = List.of(
            new Load("one row", 1, Duration.ZERO, PointLoad::point),
            new Load("one row", 16, Duration.ZERO, PointLoad::point),
            new Load("one row", 16, EVERY, PointLoad::point),
            new Load("one row", 64, Duration.ZERO, PointLoad::point),
            new Load("all rows", 1, Duration.ZERO, PointLoad::all),
            new Load("all rows", 4, Duration.ZERO, PointLoad::all));

    private final PointLoad load;
    private final Duration time;
    private final int rounds;

    /**
     * What the clients do.
     *
     * @param every the least time from one statement of a client to its next; zero without pauses
     * @param statement makes each statement
     */
    private record Load(String rows, int clients, Duration every, Function<SplittableRandom, String> statement) {
        /** Whether there are pauses. Then the delay of a single statement is judged, else the throughput. */
        boolean pauses() {
            return !every.isZero();
        }

        @Override
        public String toString() {
            return rows + " for " + clients + (clients == 1 ? " client" : " clients")
                    + (pauses() ? ", each every " + every.toMillis() + " ms" : "");
        }
    }

    /**
     * How long to measure.
     *
     * @param time of one round of one endpoint
     * @param rounds of each endpoint, alternately; the median is reported
     */
    PassThroughBench(PointLoad load, Duration time, int rounds) {
        this.load = load;
        this.time = time;
        this.rounds = rounds;
    }

    /**
     * The result.
     *
     * @param text of the report
     * @param misses the targets that were missed; none without a relay
     */
    record Throughput(String text, List<Miss> misses) {
        Throughput {
            misses = List.copyOf(misses);
        }
    }

    /** The rounds of one endpoint. */
    private record Rounds(List<Measured> all) {
        static Rounds none() {
            return new Rounds(new ArrayList<>());
        }

        double perSecond() {
            return median(all.stream().mapToDouble(Measured::perSecond).toArray());
        }

        double p99Millis() {
            return median(all.stream().mapToDouble(Measured::p99Millis).toArray());
        }
    }

    /**
     * Runs all loads.
     *
     * @param mode how clients are connected, for the targets that are missed
     * @param relay the plain TCP relay; null if there is none, which the table shows
     */
    Throughput run(String mode, Endpoint server, Endpoint proxy, @Nullable Endpoint relay)
            throws IOException, InterruptedException {
        TextTable table = new TextTable(
                Heading.left("load"),
                Heading.right("direct/s"),
                Heading.right("relay/s"),
                Heading.right("Fanfold/s"),
                Heading.right("Fanfold/direct"),
                Heading.right("Fanfold/relay"),
                Heading.right("p99 ms: direct"),
                Heading.right("relay"),
                Heading.right("Fanfold"));
        List<Miss> misses = new ArrayList<>();
        load.run(server, 4, time, PointLoad::point);
        load.run(proxy, 4, time, PointLoad::point);
        for (Load each : LOADS) {
            Rounds direct = Rounds.none();
            Rounds relayed = Rounds.none();
            Rounds proxied = Rounds.none();
            for (int round = 0; round < rounds; round++) {
                direct.all().add(run(each, server));
                if (relay != null) {
                    relayed.all().add(run(each, relay));
                }
                proxied.all().add(run(each, proxy));
            }
            if (relay != null && !each.pauses()) {
                judge(mode + ", " + each, proxied.perSecond() / relayed.perSecond(), misses);
            }
            double delay = proxied.p99Millis() - direct.p99Millis();
            if (each.pauses() && delay > Target.P99_MILLIS_OVER_DIRECT) {
                misses.add(new Miss(
                        mode + ", " + each, "p99 in ms over direct", delay, "at most", Target.P99_MILLIS_OVER_DIRECT));
            }
            table.add(
                    each.toString(),
                    String.format(Locale.ROOT, "%,.0f", direct.perSecond()),
                    relay == null ? "missing" : String.format(Locale.ROOT, "%,.0f", relayed.perSecond()),
                    String.format(Locale.ROOT, "%,.0f", proxied.perSecond()),
                    String.format(Locale.ROOT, "%.2f", proxied.perSecond() / direct.perSecond()),
                    relay == null
                            ? "missing"
                            : String.format(Locale.ROOT, "%.2f", proxied.perSecond() / relayed.perSecond()),
                    String.format(Locale.ROOT, "%.2f", direct.p99Millis()),
                    relay == null ? "missing" : String.format(Locale.ROOT, "%.2f", relayed.p99Millis()),
                    String.format(Locale.ROOT, "%.2f", proxied.p99Millis()));
        }
        return new Throughput(table.render(), misses);
    }

    private Measured run(Load each, Endpoint target) throws IOException, InterruptedException {
        return load.run(target, each.clients(), each.every(), time, each.statement());
    }

    private static void judge(String load, double ofRelay, List<Miss> misses) {
        if (ofRelay < Target.OF_RELAY) {
            misses.add(new Miss(load, "Fanfold/relay", ofRelay, "at least", Target.OF_RELAY));
        }
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2];
    }
}
