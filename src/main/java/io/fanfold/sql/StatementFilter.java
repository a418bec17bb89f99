package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.wire.ServerFlavor;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Checks a statement's bytes, without parsing them, for whether reading it may be worthwhile: it begins like a SELECT,
 * is not too long, and contains the name of a known table as a word. A table without partitions is split only if the
 * statement aggregates or sorts, so the text must also contain a word of that: most statements on such tables look up
 * few rows, and must not wait for being read. Works for every character set in which the bytes below 0x80 are ASCII.
 * Immutable, safe for all threads; takes about a nanosecond for each byte.
 */
public final class StatementFilter {
    private static final Optional<Reason> NOT_A_SELECT = Optional.of(Reason.NOT_A_SELECT);
    private static final Optional<Reason> TOO_LONG = Optional.of(Reason.TOO_LONG);
    private static final Optional<Reason> NO_SHAPE = Optional.of(Reason.NO_SHAPE);
    private static final Optional<Reason> NO_PARTITIONED_TABLE = Optional.of(Reason.NO_PARTITIONED_TABLE);

    /** For a byte of a word (letter, digit, underscore) the byte in lower case, else 0. */
    private static final byte[] FOLD = fold();

    /** The word is the name of a partitioned table. */
    private static final int PARTITIONED = 1;

    /** The word is the name of a table without partitions. */
    private static final int LARGE = 2;

    /** The word shows that the statement aggregates or sorts. */
    private static final int FOLDS = 4;

    private static final Set<String> CLAUSES = Set.of("group", "order", "distinct", "over");

    private static final Set<String> FOLDING = folding();

    private final int maxBytes;

    /** The kinds of tables whose names have no word. */
    private final int anyName;

    private final byte[][] slots;

    /** The kinds of the word in each slot. */
    private final int[] kinds;

    private final int mask;

    private StatementFilter(int maxBytes, Collection<String> partitioned, Collection<String> large) {
        this.maxBytes = maxBytes;
        int words = partitioned.size() + large.size() + FOLDING.size();
        int size = Integer.highestOneBit(words * 4);
        slots = new byte[size][];
        kinds = new int[size];
        mask = size - 1;
        anyName = put(partitioned, PARTITIONED) | put(large, LARGE);
        put(FOLDING, FOLDS);
    }

    private static Set<String> folding() {
        Set<String> words = new HashSet<>(CLAUSES);
        for (ServerFlavor flavor : ServerFlavor.values()) {
            FunctionTable.of(flavor)
                    .names(known -> known.aggregate().isPresent())
                    .forEach(name -> words.add(name.toLowerCase(Locale.ROOT)));
        }
        return Set.copyOf(words);
    }

    /**
     * Creates a filter for some tables.
     *
     * @param partitioned the bare names of the partitioned tables, without database
     * @param large the same of the tables without partitions that may be split
     * @param maxBytes the maximum length of a statement
     */
    public static StatementFilter of(Collection<String> partitioned, Collection<String> large, int maxBytes) {
        return new StatementFilter(maxBytes, partitioned, large);
    }

    /** Adds the words of names; returns the kind if a name has no word. */
    private int put(Collection<String> names, int kind) {
        int without = 0;
        for (String name : names) {
            byte[] word = longestWord(name);
            if (word.length == 0) {
                without = kind;
            } else {
                put(word, kind);
            }
        }
        return without;
    }

    /**
     * Checks a statement.
     *
     * @param bytes contains the statement's text as the client sent it
     * @param offset the start of the text
     * @param length the number of bytes of the text
     * @return why it is passed through; empty if it should be read
     */
    public Optional<Reason> check(byte[] bytes, int offset, int length) {
        int end = offset + length;
        if (!beginsLikeSelect(bytes, offset, end)) {
            return NOT_A_SELECT;
        }
        if (length > maxBytes) {
            return TOO_LONG;
        }
        int found = kinds(bytes, offset, end);
        if ((found & PARTITIONED) != 0 || (found & (LARGE | FOLDS)) == (LARGE | FOLDS)) {
            return Optional.empty();
        }
        return (found & LARGE) != 0 ? NO_SHAPE : NO_PARTITIONED_TABLE;
    }

    private static boolean beginsLikeSelect(byte[] bytes, int offset, int end) {
        int at = LeadingBlanks.skip(bytes, offset, end);
        return at < end
                && (bytes[at] == '('
                        || LeadingBlanks.word(bytes, at, end, "select")
                        || LeadingBlanks.word(bytes, at, end, "with"));
    }

    /** Returns the kinds of the words of a text; not all if there is a partitioned table. */
    private int kinds(byte[] bytes, int offset, int end) {
        int found = anyName;
        int hash = 0;
        int start = offset;
        for (int i = offset; i < end && (found & PARTITIONED) == 0; i++) {
            byte folded = FOLD[bytes[i] & 0xff];
            if (folded != 0) {
                hash = hash * 31 + folded;
            } else {
                if (i > start) {
                    found |= kinds(bytes, start, i, hash);
                }
                hash = 0;
                start = i + 1;
            }
        }
        return end > start ? found | kinds(bytes, start, end, hash) : found;
    }

    private int kinds(byte[] bytes, int start, int end, int hash) {
        for (int slot = spread(hash) & mask; slots[slot] != null; slot = slot + 1 & mask) {
            if (same(slots[slot], bytes, start, end)) {
                return kinds[slot];
            }
        }
        return 0;
    }

    private static boolean same(byte[] word, byte[] bytes, int start, int end) {
        if (word.length != end - start) {
            return false;
        }
        for (int i = 0; i < word.length; i++) {
            if (word[i] != FOLD[bytes[start + i] & 0xff]) {
                return false;
            }
        }
        return true;
    }

    private void put(byte[] word, int kind) {
        int hash = 0;
        for (byte b : word) {
            hash = hash * 31 + b;
        }
        int slot = spread(hash) & mask;
        while (slots[slot] != null && !Arrays.equals(slots[slot], word)) {
            slot = slot + 1 & mask;
        }
        slots[slot] = word;
        kinds[slot] |= kind;
    }

    private static int spread(int hash) {
        return hash ^ hash >>> 15;
    }

    /**
     * Returns the longest run of ASCII word characters in a name, in lower case. Bytes of other characters depend on
     * the character set or on quoting. In statements, too, they end a word.
     */
    private static byte[] longestWord(String table) {
        byte[] best = {};
        int start = 0;
        for (int i = 0; i <= table.length(); i++) {
            boolean inWord = i < table.length() && table.charAt(i) < 0x80 && FOLD[table.charAt(i)] != 0;
            if (!inWord) {
                if (i - start > best.length) {
                    best = new byte[i - start];
                    for (int j = start; j < i; j++) {
                        best[j - start] = FOLD[table.charAt(j)];
                    }
                }
                start = i + 1;
            }
        }
        return best;
    }

    private static byte[] fold() {
        byte[] fold = new byte[256];
        for (int b = 'a'; b <= 'z'; b++) {
            fold[b] = (byte) b;
            fold[b - 'a' + 'A'] = (byte) b;
        }
        for (int b = '0'; b <= '9'; b++) {
            fold[b] = (byte) b;
        }
        fold['_'] = '_';
        return fold;
    }
}
