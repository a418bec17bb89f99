package io.fanfold.plan;

import java.util.Optional;

/** Provides the server's weight bytes of one blank under a PAD SPACE collation. */
@FunctionalInterface
public interface PadWeights {
    /** Returns the weight, empty if it could not be read. */
    Optional<byte[]> of(String charset, String collation);
}
