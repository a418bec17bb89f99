package io.fanfold.plan;

import java.util.Optional;

/** The weight bytes of one blank under a PAD SPACE collation, as the server gives them. */
@FunctionalInterface
public interface PadWeights {
    /** Empty when they could not be read. */
    Optional<byte[]> of(String charset, String collation);
}
