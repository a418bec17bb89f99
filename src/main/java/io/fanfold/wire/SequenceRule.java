package io.fanfold.wire;

/**
 * How the proxy treats the sequence ids of a server's packets. If the server's connection is compressed, its ids follow
 * the frames. A client checks ids only on a connection without compression.
 */
public enum SequenceRule {
    /** They count the packets. They are checked in replies to the proxy; the client checks its own. */
    COUNTED,
    /** They follow the frames, and the client's connection is compressed too: they are passed on unchanged. */
    UNCHECKED,
    /** They follow the frames, and the client's connection is not compressed: a count replaces them. */
    RECOUNTED
}
