package io.fanfold.compress;

/** How a connection is compressed. */
public enum Algorithm {
    ZLIB,
    ZSTD;

    public Codec codec() {
        return this == ZLIB ? new ZlibCodec() : new ZstdCodec();
    }
}
