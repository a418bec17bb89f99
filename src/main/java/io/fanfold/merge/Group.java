package io.fanfold.merge;

/** One group: its key values as a part of a row, and its running values. For one thread at a time. */
final class Group {
    private static final long SHELL_BYTES = 32;

    final SlotFold.State[] states;

    /** The payload of a row of the key values alone; from the row with the lowest rank. */
    byte[] keyValues;

    /** The lowest rank of its rows. */
    long rank;

    Group(SlotFold.State[] states, byte[] keyValues, long rank) {
        this.states = states;
        this.keyValues = keyValues;
        this.rank = rank;
    }

    void merge(Group other) throws FoldException {
        for (int i = 0; i < states.length; i++) {
            states[i].merge(other.states[i]);
        }
        if (other.rank < rank) {
            rank = other.rank;
            keyValues = other.keyValues;
        }
    }

    long heapBytes() {
        long bytes = SHELL_BYTES + HeapSize.array(HeapSize.REFERENCE * states.length) + HeapSize.of(keyValues);
        for (SlotFold.State state : states) {
            bytes += state.heapBytes();
        }
        return bytes;
    }
}
