package io.fanfold.client;

/**
 * Takes packets as they were sent.
 *
 * @param <E> what it throws if it cannot take them
 */
public interface PacketOutput<E extends Exception> {
    /**
     * Takes packets.
     *
     * @param bytes not retained
     * @param from the index of the first packet's header
     * @param to the index after the last packet
     * @param count the number of packets, at least 1
     */
    void packets(byte[] bytes, int from, int to, int count) throws E;
}
