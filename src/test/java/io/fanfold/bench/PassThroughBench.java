package io.fanfold.bench;

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
import org.jspecify.annotations.Nullable;

/**
 * Measures the throughput of statements that are passed through, compared with the server itself and a plain TCP relay.
 */
final class PassThroughBench {
    private static final List<Integer> CLIENTS = List.of(1, 16, 64);

    private final PointLoad load;
    private final Duration time;
    private final int rounds;

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

    /** @param relay the plain TCP relay; null if there is none, which the table shows */
    Throughput run(Endpoint server, Endpoint proxy, @Nullable Endpoint relay) throws IOException, InterruptedException {
        TextTable table = new TextTable(
                Heading.right("clients"),
                Heading.right("direct/s"),
                Heading.right("relay/s"),
                Heading.right("Fanfold/s"),
                Heading.right("Fanfold/direct"),
                Heading.right("Fanfold/relay"));
        List<Miss> misses = new ArrayList<>();
        load.perSecond(server, 4, time, PointLoad::point);
        load.perSecond(proxy, 4, time, PointLoad::point);
        for (int clients : CLIENTS) {
            double[] direct = new double[rounds];
            double[] relayed = new double[rounds];
            double[] proxied = new double[rounds];
            for (int round = 0; round < rounds; round++) {
                direct[round] = load.perSecond(server, clients, time, PointLoad::point);
                relayed[round] = relay == null ? Double.NaN : load.perSecond(relay, clients, time, PointLoad::point);
                proxied[round] = load.perSecond(proxy, clients, time, PointLoad::point);
            }
            double ofRelay = median(proxied) / median(relayed);
            if (relay != null && ofRelay < Target.OF_RELAY) {
                misses.add(new Miss(
                        "point selects of " + clients + (clients == 1 ? " client" : " clients"),
                        "Fanfold/relay",
                        ofRelay,
                        "at least",
                        Target.OF_RELAY));
            }
            table.add(
                    Integer.toString(clients),
                    String.format(Locale.ROOT, "%,.0f", median(direct)),
                    relay == null ? "missing" : String.format(Locale.ROOT, "%,.0f", median(relayed)),
                    String.format(Locale.ROOT, "%,.0f", median(proxied)),
                    String.format(Locale.ROOT, "%.2f", median(proxied) / median(direct)),
                    relay == null ? "missing" : String.format(Locale.ROOT, "%.2f", ofRelay));
        }
        return new Throughput(table.render(), misses);
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
