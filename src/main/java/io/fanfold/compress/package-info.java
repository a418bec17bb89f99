/**
 * The two compression methods of the MySQL protocol, zlib and zstd.
 *
 * <p>The frames of compressed packets are read and written in {@code io.fanfold.session}. This package imports nothing
 * of Fanfold.
 */
@NullMarked
package io.fanfold.compress;

import org.jspecify.annotations.NullMarked;
