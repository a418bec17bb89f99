package io.fanfold.binlog;

import io.fanfold.wire.PayloadWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * A set of MySQL's global transaction identifiers. A source is a server's UUID, since MySQL 8.3 optionally with a tag:
 * {@code uuid} or {@code uuid:tag}. Immutable.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/9.7/en/replication-gtids-concepts.html">GTID format</a>
 */
public final class GtidSet {
    private static final int UUID_LENGTH = 36;
    private static final int LONGEST_TAG = 32;

    /** The sources in order, each with ordered intervals that neither touch nor overlap. */
    private final SortedMap<String, List<Interval>> sources;

    private GtidSet(SortedMap<String, List<Interval>> sources) {
        this.sources = sources;
    }

    /** Transactions of one source: the first and the last number, both 1 or more. */
    private record Interval(long first, long last) {
        @Override
        public String toString() {
            return first == last ? Long.toString(first) : first + "-" + last;
        }
    }

    /**
     * Reads the text of a GTID set, such as the value of gtid_executed. Line breaks and spaces around commas and colons
     * have no meaning.
     *
     * @throws IllegalArgumentException if it is not a GTID set
     */
    public static GtidSet parse(String text) {
        SortedMap<String, List<Interval>> sources = new TreeMap<>();
        for (String part : text.split(",", -1)) {
            if (!part.isBlank()) {
                parseServer(part.strip(), sources);
            }
        }
        return new GtidSet(sources);
    }

    private static void parseServer(String text, SortedMap<String, List<Interval>> sources) {
        String[] parts = text.split(":", -1);
        String uuid = parts[0].strip().toLowerCase(Locale.ROOT);
        if (uuid.length() != UUID_LENGTH || !UUID.fromString(uuid).toString().equals(uuid)) {
            throw new IllegalArgumentException("a GTID has the source '" + uuid + "' (expected: a UUID)");
        }
        String source = uuid;
        for (int i = 1; i < parts.length; i++) {
            String part = parts[i].strip();
            if (part.isEmpty() || Character.isDigit(part.charAt(0))) {
                sources.merge(source, List.of(interval(part)), (old, added) -> with(old, added.get(0)));
            } else {
                source = uuid + ":" + tag(part.toLowerCase(Locale.ROOT));
            }
        }
    }

    private static String tag(String text) {
        if (text.length() > LONGEST_TAG
                || !text.chars().allMatch(c -> c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z')) {
            throw new IllegalArgumentException("a GTID has the tag '" + text + "' (expected: letters, digits and _)");
        }
        return text;
    }

    private static Interval interval(String text) {
        int dash = text.indexOf('-');
        long first = Long.parseLong(dash < 0 ? text : text.substring(0, dash).strip());
        long last = dash < 0 ? first : Long.parseLong(text.substring(dash + 1).strip());
        if (first < 1 || last < first) {
            throw new IllegalArgumentException("a GTID interval is '" + text + "' (expected: first-last)");
        }
        return new Interval(first, last);
    }

    private static List<Interval> with(List<Interval> ordered, Interval added) {
        List<Interval> all = new ArrayList<>(ordered.size() + 1);
        List<Interval> after = new ArrayList<>();
        long first = added.first;
        long last = added.last;
        for (Interval interval : ordered) {
            if (interval.last < first - 1) {
                all.add(interval);
            } else if (interval.first > last + 1) {
                after.add(interval);
            } else {
                first = Math.min(first, interval.first);
                last = Math.max(last, interval.last);
            }
        }
        all.add(new Interval(first, last));
        all.addAll(after);
        return List.copyOf(all);
    }

    /**
     * Returns this set with one more transaction.
     *
     * @param source see above, in lower case
     * @param number 1 or more
     */
    public GtidSet plus(String source, long number) {
        SortedMap<String, List<Interval>> all = new TreeMap<>(sources);
        all.merge(source, List.of(new Interval(number, number)), (intervals, added) -> with(intervals, added.get(0)));
        return new GtidSet(all);
    }

    /** Whether the set has the transaction. */
    public boolean contains(String source, long number) {
        return covers(sources.getOrDefault(source, List.of()), List.of(new Interval(number, number)));
    }

    /** Whether the set has all transactions of the other. */
    public boolean contains(GtidSet other) {
        for (Map.Entry<String, List<Interval>> source : other.sources.entrySet()) {
            if (!covers(sources.getOrDefault(source.getKey(), List.of()), source.getValue())) {
                return false;
            }
        }
        return true;
    }

    private static boolean covers(List<Interval> mine, List<Interval> others) {
        int at = 0;
        for (Interval other : others) {
            while (at < mine.size() && mine.get(at).last < other.last) {
                at++;
            }
            if (at == mine.size() || mine.get(at).first > other.first) {
                return false;
            }
        }
        return true;
    }

    /**
     * Encodes the set for COM_BINLOG_DUMP_GTID. MySQL before 8.3 cannot read a set with tags, and has none.
     *
     * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_binlog_dump_gtid.html">the
     *     command</a>; the form with tags is that of {@code Gtid_set::encode}
     */
    byte[] encode() {
        boolean tagged = sources.keySet().stream().anyMatch(source -> source.length() > UUID_LENGTH);
        long count = sources.size();
        PayloadWriter out = new PayloadWriter().int8(tagged ? 1L << 56 | count << 8 | 1 : count);
        sources.forEach((source, intervals) -> {
            UUID uuid = UUID.fromString(source.substring(0, UUID_LENGTH));
            out.int8(Long.reverseBytes(uuid.getMostSignificantBits()));
            out.int8(Long.reverseBytes(uuid.getLeastSignificantBits()));
            if (tagged) {
                byte[] tag = source.substring(Math.min(source.length(), UUID_LENGTH + 1))
                        .getBytes(StandardCharsets.US_ASCII);
                out.int1(tag.length << 1).bytes(tag);
            }
            out.int8(intervals.size());
            intervals.forEach(interval -> out.int8(interval.first).int8(interval.last + 1));
        });
        return out.toBytes();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof GtidSet set && sources.equals(set.sources);
    }

    @Override
    public int hashCode() {
        return sources.hashCode();
    }

    @Override
    public String toString() {
        return sources.entrySet().stream()
                .map(source -> source.getKey() + ":"
                        + source.getValue().stream().map(Interval::toString).collect(Collectors.joining(":")))
                .collect(Collectors.joining(","));
    }
}
