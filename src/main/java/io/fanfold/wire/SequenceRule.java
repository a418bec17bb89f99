package io.fanfold.wire;

/**
 * What becomes of the sequence ids of a server's packets. On a compressed connection servers continue the ids of the
 * frames, and clients do not check them there. Without compression a client checks them.
 */
public enum SequenceRule {
    /** They count the packets. They are checked in replies to the proxy; the client checks its own. */
    COUNTED,
    /** They follow the frames, and the client's connection is compressed too: they are passed on unchanged. */
    UNCHECKED,
    /** They follow the frames, and the client's connection is not compressed: a count replaces them. */
    RECOUNTED
}
