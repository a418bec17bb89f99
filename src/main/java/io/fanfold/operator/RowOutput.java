package io.fanfold.operator;

import io.fanfold.wire.PacketCodec;
import java.util.Arrays;

/**
 * Takes the rows of an answer in their order. For one thread.
 *
 * @param <E> what it throws if rows are no longer wanted
 */
public interface RowOutput<E extends Exception> {
    /**
     * Takes one row.
     *
     * @param payload the text row's payload; retained, so the caller must not change it
     */
    void row(byte[] payload) throws E, InterruptedException;

    /**
     * Takes rows as packets, one for each row, with any sequence ids. The bytes are not retained.
     *
     * @param from the index of the first packet's header
     * @param to the index after the last packet
     * @param rows the number of packets, at least 1
     */
    default void packets(byte[] bytes, int from, int to, int rows) throws E, InterruptedException {
        for (int at = from; at < to; at = PacketCodec.end(bytes, at)) {
            row(Arrays.copyOfRange(bytes, at + PacketCodec.HEADER, PacketCodec.end(bytes, at)));
        }
    }
}
