package io.fanfold.cli.bench;

import io.fanfold.cli.demo.Endpoint;
import io.fanfold.cli.demo.TextTable;
import io.fanfold.cli.demo.TextTable.Heading;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Throughput of statements that are passed through, against the server itself and a plain TCP relay. */
final class PassThroughBench {
    private static final List<Integer> CLIENTS = List.of(1, 16, 64);

    private final PointLoad load;
    private final Duration time;
    private final int rounds;

    /**
     * How long to measure.
     *
     * @param time of one round of one target
     * @param rounds of each target, by turns; the median counts
     */
    PassThroughBench(PointLoad load, Duration time, int rounds) {
        this.load = load;
        this.time = time;
        this.rounds = rounds;
    }

    /** @param relay the plain TCP relay; null when there is none, which the table says */
    String run(Endpoint server, Endpoint proxy, @Nullable Endpoint relay) throws IOException, InterruptedException {
        TextTable table = new TextTable(
                Heading.right("clients"),
                Heading.right("direct/s"),
                Heading.right("relay/s"),
                Heading.right("Fanfold/s"),
                Heading.right("Fanfold/direct"),
                Heading.right("Fanfold/relay"));
        load.perSecond(server, 4, time);
        load.perSecond(proxy, 4, time);
        for (int clients : CLIENTS) {
            double[] direct = new double[rounds];
            double[] relayed = new double[rounds];
            double[] proxied = new double[rounds];
            for (int round = 0; round < rounds; round++) {
                direct[round] = load.perSecond(server, clients, time);
                relayed[round] = relay == null ? Double.NaN : load.perSecond(relay, clients, time);
                proxied[round] = load.perSecond(proxy, clients, time);
            }
            table.add(
                    Integer.toString(clients),
                    String.format(Locale.ROOT, "%,.0f", median(direct)),
                    relay == null ? "missing" : String.format(Locale.ROOT, "%,.0f", median(relayed)),
                    String.format(Locale.ROOT, "%,.0f", median(proxied)),
                    String.format(Locale.ROOT, "%.2f", median(proxied) / median(direct)),
                    relay == null ? "missing" : String.format(Locale.ROOT, "%.2f", median(proxied) / median(relayed)));
        }
        return table.render();
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
