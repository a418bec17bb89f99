package io.fanfold.binlog;

/**
 * How much of a server's binary log a snapshot contains. MySQL names the transactions, MariaDB the place in its log.
 * Immutable.
 */
public sealed interface LogPosition {
    /**
     * Whether everything up to the other position is also before this one. Positions of different servers may not be
     * compared. False if the two cannot be ordered.
     */
    boolean includes(LogPosition earlier);

    /**
     * Reads the value of MySQL's gtid_executed.
     *
     * @throws IllegalArgumentException if it is not a GTID set
     */
    static LogPosition executed(String gtids) {
        return new Executed(GtidSet.parse(gtids));
    }

    /**
     * The transactions that a MySQL server has executed.
     *
     * @param gtids gtid_executed
     */
    record Executed(GtidSet gtids) implements LogPosition {
        @Override
        public boolean includes(LogPosition earlier) {
            return earlier instanceof Executed other && gtids.contains(other.gtids);
        }

        @Override
        public String toString() {
            return gtids.toString();
        }
    }

    /**
     * A place in a MariaDB server's log. Files are ordered by the number at the end of their names. Files with
     * different names before this number cannot be ordered.
     *
     * @param file the file's name, as in {@code binlog_snapshot_file}
     * @param offset bytes of the file before the place; 0 or more
     */
    record InFile(String file, long offset) implements LogPosition {
        /** The most digits that fit into a long. */
        private static final int DIGITS = 18;

        @Override
        public boolean includes(LogPosition earlier) {
            if (!(earlier instanceof InFile other)) {
                return false;
            }
            if (file.equals(other.file)) {
                return offset >= other.offset;
            }
            int mine = numberStart(file);
            int others = numberStart(other.file);
            return isNumbered(file, mine)
                    && isNumbered(other.file, others)
                    && file.substring(0, mine).equals(other.file.substring(0, others))
                    && Long.parseLong(file.substring(mine)) > Long.parseLong(other.file.substring(others));
        }

        /** Whether the file is the first one of a log. */
        boolean isInFirstFile() {
            int at = numberStart(file);
            return isNumbered(file, at) && Long.parseLong(file.substring(at)) <= 1;
        }

        private static int numberStart(String name) {
            int at = name.length();
            while (at > 0 && name.charAt(at - 1) >= '0' && name.charAt(at - 1) <= '9') {
                at--;
            }
            return at;
        }

        private static boolean isNumbered(String name, int at) {
            return at < name.length() && name.length() - at <= DIGITS;
        }

        @Override
        public String toString() {
            return file + ":" + offset;
        }
    }
}
