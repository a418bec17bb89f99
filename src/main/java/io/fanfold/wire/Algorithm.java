package io.fanfold.wire;

/** The compression algorithms of a connection. */
public enum Algorithm {
    ZLIB,
    ZSTD;

    public Codec codec() {
        return this == ZLIB ? new ZlibCodec() : new ZstdCodec();
    }
}
