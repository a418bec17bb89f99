package io.fanfold.binlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.catalog.TableName;
import io.fanfold.wire.ProtocolException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChangeReaderTest {
    private static final LogPosition BEFORE = LogPosition.executed(Events.UUID + ":1-4");
    private static final LogPosition PLACE = new LogPosition.InFile("binlog.000002", 100);
    private static final long ID = 0x1_0000_0007L;
    private static final byte[] BEGIN = Events.query("BEGIN", 0);
    private static final byte[] MAP = Events.tableMap(ID, "d", "t");
    private static final byte[] COMMIT = Events.empty(16, 900);

    private final LoggedChanges mysql = new LoggedChanges(BEFORE, "");
    private final ChangeReader reader = new ChangeReader(BEFORE, mysql);
    private final LoggedChanges mariaDb = new LoggedChanges(PLACE, "");
    private final ChangeReader mariaDbReader = new ChangeReader(PLACE, mariaDb);

    private static void read(ChangeReader reader, byte[]... events) throws IOException {
        for (byte[] event : events) {
            reader.read(event, 0, event.length, true);
        }
    }

    /** Reads a transaction of MySQL; its changes are those since {@link #BEFORE}. */
    private List<String> changed(byte[]... events) throws IOException {
        read(reader, Events.gtid(5));
        read(reader, events);
        assertThat(mysql.current()).as("the transaction has ended").hasToString(Events.UUID + ":1-5");
        return changed(mysql, BEFORE);
    }

    private List<String> changedInGroup(int flags, byte[]... events) throws IOException {
        read(mariaDbReader, Events.mariaDbGtid(flags, 142));
        read(mariaDbReader, events);
        assertThat(mariaDb.current()).as("the group has ended").hasToString("binlog.000002:900");
        return changed(mariaDb, PLACE);
    }

    private static List<String> changed(LoggedChanges changes, LogPosition since) {
        return changed(changes, since, false);
    }

    private static List<String> changed(LoggedChanges changes, LogPosition since, boolean foreignKeys) {
        List<String> changed = new ArrayList<>();
        for (String table : List.of("t", "other")) {
            for (int partition = -1; partition < 3; partition++) {
                OptionalInt asked = partition < 0 ? OptionalInt.empty() : OptionalInt.of(partition);
                if (!changes.unchanged(since, changes.current(), new TableName("D", table), asked, foreignKeys)) {
                    changed.add(partition < 0 ? table : table + "#" + partition);
                }
            }
        }
        return changed;
    }

    private static final List<String> WHOLE = List.of("t", "t#0", "t#1", "t#2");
    private static final List<String> EVERYTHING =
            List.of("t", "t#0", "t#1", "t#2", "other", "other#0", "other#1", "other#2");

    @ParameterizedTest
    @ValueSource(ints = {30, 32})
    void rowsOfAPartition(int type) throws IOException {
        assertThat(changed(BEGIN, MAP, Events.rows(type, ID, 1, 2, 0), COMMIT)).isEqualTo(List.of("t", "t#2"));
    }

    @ParameterizedTest
    @ValueSource(ints = {31, 39})
    void updatesHaveTwoPartitions(int type) throws IOException {
        assertThat(changed(BEGIN, MAP, Events.rows(type, ID, 1, 2, 0, 0, 0), COMMIT))
                .isEqualTo(List.of("t", "t#0", "t#2"));
    }

    @Test
    void extraDataOfNdbIsSkipped() throws IOException {
        assertThat(changed(BEGIN, MAP, Events.rows(30, ID, 0, 3, 9, 9, 1, 1, 0), COMMIT))
                .isEqualTo(List.of("t", "t#1"));
    }

    @Test
    void rowsWithoutAPartition() throws IOException {
        assertThat(changed(BEGIN, MAP, Events.rows(30, ID), COMMIT)).isEqualTo(WHOLE);
        read(reader, Events.gtid(6), BEGIN, MAP, Events.rows(30, ID, 1, 2, 0), COMMIT);
        assertThat(changed(mysql, BEFORE)).as("and then with one").isEqualTo(WHOLE);
        assertThat(changed(mysql, LogPosition.executed(Events.UUID + ":1-5"))).isEqualTo(List.of("t", "t#2"));
    }

    @Test
    void rowsWithUnknownExtraData() throws IOException {
        assertThat(changed(BEGIN, MAP, Events.rows(30, ID, 9, 1, 0), COMMIT)).isEqualTo(WHOLE);
    }

    @ParameterizedTest
    @ValueSource(ints = {23, 24, 25, 166, 167, 168, 169, 170, 171})
    void rowsOfMariaDb(int type) throws IOException {
        assertThat(changedInGroup(0, MAP, Events.rowsV1(type, ID), COMMIT)).isEqualTo(WHOLE);
    }

    /** MariaDB maps the tables that foreign keys change. MySQL maps tables that it only reads to check foreign keys. */
    @Test
    void tablesWithoutRows() throws IOException {
        byte[] other = Events.tableMap(8, "d", "other");
        assertThat(changed(BEGIN, MAP, other, Events.rows(30, ID, 1, 0, 0), COMMIT))
                .isEqualTo(List.of("t", "t#0"));
        assertThat(changedInGroup(0, MAP, other, Events.rowsV1(23, ID), COMMIT)).isEqualTo(EVERYTHING);
    }

    @ParameterizedTest
    @ValueSource(ints = {31, 32, 39})
    void changesThatMayCascade(int type) throws IOException {
        int[] extra = type == 32 ? new int[] {1, 0, 0} : new int[] {1, 0, 0, 0, 0};
        assertThat(changed(BEGIN, MAP, Events.rows(type, ID, extra), COMMIT)).isEqualTo(List.of("t", "t#0"));
        assertThat(changed(mysql, BEFORE, true)).isEqualTo(EVERYTHING);
    }

    @ParameterizedTest
    @ValueSource(ints = {0x02, 0x10})
    void changesThatDoNotCascade(int flag) throws IOException {
        byte[] rows = Events.rows(32, ID, 1, 0, 0);
        rows[19 + 6] |= (byte) flag;
        assertThat(changed(BEGIN, MAP, rows, COMMIT)).isEqualTo(List.of("t", "t#0"));
        assertThat(changed(mysql, BEFORE, true)).isEqualTo(List.of("t", "t#0"));
        read(reader, Events.gtid(6), BEGIN, MAP, Events.rows(30, ID, 1, 0, 0), COMMIT);
        assertThat(changed(mysql, BEFORE, true)).as("inserts").isEqualTo(List.of("t", "t#0"));
    }

    @Test
    void rowsOfAnUnknownTable() throws IOException {
        assertThat(changed(BEGIN, Events.rows(30, ID, 1, 0, 0), COMMIT)).isEqualTo(EVERYTHING);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE})
    void numbersThatNoTransactionHas(long number) {
        assertThatThrownBy(() -> read(reader, Events.gtid(number)))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("a GTID event has the number " + number);
    }

    @Test
    void rowsOfTheFirstOfTooManyTables() throws IOException {
        read(reader, Events.gtid(5), BEGIN, MAP);
        for (int id = 0; id < 100_000; id++) {
            read(reader, Events.tableMap(id, "d", "many"));
        }
        read(reader, Events.rows(30, ID, 1, 0, 0), COMMIT);
        assertThat(changed(mysql, BEFORE)).isEqualTo(EVERYTHING);
    }

    @Test
    void tooManyPartitionsInOneTransaction() throws IOException {
        read(reader, Events.gtid(5), BEGIN);
        for (int id = 0; id < 4; id++) {
            read(reader, Events.tableMap(id, "d", "many" + id));
            for (int partition = 0; partition < 60_000; partition++) {
                read(reader, Events.rows(30, id, 1, partition & 0xff, partition >> 8));
            }
        }
        read(reader, COMMIT);
        assertThat(changed(mysql, BEFORE)).isEqualTo(EVERYTHING);
    }

    @Test
    void idsOfTablesEndWithTheTransaction() throws IOException {
        changed(BEGIN, MAP, COMMIT);
        read(reader, Events.gtid(6), BEGIN, Events.rows(30, ID, 1, 0, 0), COMMIT);
        assertThat(changed(mysql, BEFORE)).isEqualTo(EVERYTHING);
    }

    @Test
    void idsOfTablesHaveSixBytes() throws IOException {
        byte[] other = Events.tableMap(7, "d", "other");
        assertThat(changed(BEGIN, MAP, other, Events.rows(30, ID, 1, 0, 0), COMMIT))
                .isEqualTo(List.of("t", "t#0"));
    }

    @Test
    void rolledBackRowsCount() throws IOException {
        assertThat(changed(BEGIN, MAP, Events.rows(30, ID), Events.query("ROLLBACK", 0)))
                .isEqualTo(WHOLE);
    }

    @Test
    void savepoints() throws IOException {
        assertThat(changed(BEGIN, Events.query("SAVEPOINT `s`", 0), MAP, Events.rows(30, ID, 1, 0, 0), COMMIT))
                .isEqualTo(List.of("t", "t#0"));
    }

    @Test
    void statementsInATransaction() throws IOException {
        assertThat(changed(BEGIN, Events.query("INSERT INTO t VALUES (1)", 0), COMMIT))
                .isEqualTo(EVERYTHING);
    }

    @Test
    void singleStatements() throws IOException {
        assertThat(changed(Events.query("DROP TABLE x", 0))).isEqualTo(EVERYTHING);
    }

    @Test
    void harmlessStatements() throws IOException {
        assertThat(changed(Events.query("ANALYZE TABLE t", 0))).isEmpty();
        assertThat(changedInGroup(1, Events.query("ANALYZE TABLE t", 900))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {38, 40})
    void eventsThatEndATransactionUnplaced(int type) throws IOException {
        assertThat(changed(Events.empty(type, 0))).isEqualTo(EVERYTHING);
    }

    @ParameterizedTest
    @ValueSource(ints = {9, 17, 18, 26, 28, 43, 200})
    void otherEvents(int type) throws IOException {
        assertThat(changed(BEGIN, Events.empty(type, 0), COMMIT)).isEqualTo(EVERYTHING);
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5, 13, 14, 29, 35, 36, 37, 160, 161, 163, 164})
    void eventsWithoutChanges(int type) throws IOException {
        assertThat(changed(BEGIN, Events.empty(type, 0), COMMIT)).isEmpty();
    }

    @Test
    void compressedStatements() throws IOException {
        assertThat(changedInGroup(1, Events.event(165, 900, new byte[40]))).isEqualTo(EVERYTHING);
    }

    /** Only the first bytes of a long event are read. */
    @Test
    void longEvents() throws IOException {
        byte[] analyze = Events.query("ANALYZE TABLE t", 0);
        read(reader, Events.gtid(5));
        reader.read(analyze, 0, analyze.length, false);
        assertThat(changed(mysql, BEFORE)).isEqualTo(EVERYTHING);
    }

    @Test
    void longRows() throws IOException {
        byte[] rows = Events.rows(30, ID, 1, 2, 0);
        read(reader, Events.gtid(5), BEGIN, MAP);
        reader.read(rows, 0, rows.length, false);
        read(reader, COMMIT);
        assertThat(changed(mysql, BEFORE)).isEqualTo(List.of("t", "t#2"));
    }

    @Test
    void taggedTransactions() throws IOException {
        // version 1, size, fields; flags 0; UUID with bytes over 127 in two bytes; number 5; tag
        String twoBytes = "a902";
        StringBuilder message = new StringBuilder("02" + "5a" + "08" + "00" + "00" + "02");
        for (int i = 0; i < 4; i++) {
            message.append(twoBytes);
        }
        message.append("00".repeat(11)).append("02").append("04" + "14" + "06" + "06" + "66616e" + "08" + "00");
        read(reader, Events.event(42, 0, HexFormat.of().parseHex(message)), BEGIN, MAP, COMMIT);
        assertThat(mysql.current()).hasToString(Events.UUID + ":1-4," + Events.UUID + ":fan:5");
    }

    @ParameterizedTest
    @ValueSource(strings = {"04", "0202080200", "020208000004"})
    void unknownFormsOfTaggedTransactions(String message) {
        assertThatThrownBy(() -> read(reader, Events.event(42, 0, HexFormat.of().parseHex(message + "00".repeat(40)))))
                .isInstanceOf(ProtocolException.class);
    }

    @Test
    void checksumsAreNoPartOfATextOrName() throws IOException {
        read(reader, Events.format(1, 0));
        for (byte[] event : Events.withChecksums(
                List.of(Events.gtid(5), BEGIN, MAP, Events.rows(30, ID, 1, 0, 0), Events.query("COMMIT", 0)))) {
            read(reader, event);
        }
        assertThat(changed(mysql, BEFORE)).isEqualTo(List.of("t", "t#0"));
    }

    @Test
    void groupsWithoutAnEnd() throws IOException {
        assertThat(changedInGroup(1, Events.query("DROP TABLE x", 900))).isEqualTo(EVERYTHING);
    }

    /** MariaDB logs CREATE TABLE … SELECT as a statement and rows. */
    @Test
    void groupsWithStatementAndRows() throws IOException {
        assertThat(changedInGroup(0, Events.query("CREATE TABLE t (id INT)", 500), MAP, Events.rowsV1(23, ID), COMMIT))
                .isEqualTo(EVERYTHING);
    }

    @Test
    void eventsBetweenGroupsMoveThePlace() throws IOException {
        read(mariaDbReader, Events.rotate("binlog.000002", 100), Events.format(0, 0));
        assertThat(mariaDb.current()).hasToString("binlog.000002:100");
        read(mariaDbReader, Events.empty(161, 140));
        assertThat(mariaDb.current()).hasToString("binlog.000002:140");
        read(mariaDbReader, Events.mariaDbGtid(0, 182), MAP, Events.empty(160, 250));
        assertThat(mariaDb.current()).as("in a group").hasToString("binlog.000002:140");
        read(mariaDbReader, Events.empty(16, 300), Events.empty(27, 9999));
        assertThat(mariaDb.current()).as("after a heartbeat").hasToString("binlog.000002:300");
        read(mariaDbReader, Events.event(163, 9999, 0x20, new byte[0]));
        assertThat(mariaDb.current()).as("after an artificial event").hasToString("binlog.000002:300");
        read(mariaDbReader, Events.rotate("binlog.000003", 4));
        assertThat(mariaDb.current()).hasToString("binlog.000003:4");
    }

    @Test
    void logsThatGoBackEndTheStream() throws IOException {
        assertThatThrownBy(() -> read(mariaDbReader, Events.rotate("binlog.000001", 4)))
                .isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> read(mariaDbReader, Events.empty(161, 90))).isInstanceOf(ProtocolException.class);
        read(mariaDbReader, Events.mariaDbGtid(0, 0));
        assertThatThrownBy(() -> read(mariaDbReader, Events.empty(16, 0))).isInstanceOf(ProtocolException.class);
    }

    @Test
    void transactionsThatComeAgainEndTheStream() throws IOException {
        read(reader, Events.gtid(4), BEGIN);
        assertThatThrownBy(() -> read(reader, COMMIT)).isInstanceOf(ProtocolException.class);
    }

    @Test
    void changesOutsideATransactionEndTheStream() {
        for (byte[] event :
                List.of(MAP, COMMIT, Events.query("DROP TABLE x", 900), Events.empty(34, 0), Events.empty(26, 0))) {
            assertThatThrownBy(() -> read(reader, event)).isInstanceOf(ProtocolException.class);
            assertThatThrownBy(() -> read(mariaDbReader, event)).isInstanceOf(ProtocolException.class);
        }
    }

    @Test
    void transactionsWithoutAnEndEndTheStream() throws IOException {
        read(reader, Events.gtid(5), BEGIN);
        assertThatThrownBy(() -> read(reader, Events.gtid(6))).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> read(reader, Events.rotate("binlog.000003", 4)))
                .isInstanceOf(ProtocolException.class);
    }

    @Test
    void truncatedEventsEndTheStream() {
        for (byte[] event : List.of(Events.gtid(5), BEGIN, MAP)) {
            for (int length = 0; length < Math.min(event.length, 27); length++) {
                byte[] bytes = Arrays.copyOf(event, length);
                assertThatThrownBy(() -> read(reader, bytes)).isInstanceOf(ProtocolException.class);
            }
        }
    }

    /** No bytes of a server end the stream's thread. */
    @Test
    void randomEventsEndTheStreamAtMost() {
        Random random = new Random(1);
        int ended = 0;
        for (int i = 0; i < 50_000; i++) {
            byte[] body = new byte[random.nextInt(60)];
            random.nextBytes(body);
            byte[] event = Events.event(random.nextInt(256), random.nextInt(1000), body);
            try {
                read(reader, event);
                read(mariaDbReader, event);
            } catch (IOException e) {
                ended++;
            }
        }
        assertThat(ended).isPositive();
    }
}
