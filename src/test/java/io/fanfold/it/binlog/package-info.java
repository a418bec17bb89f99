/** The change stream, on real servers. */
@NullMarked
package io.fanfold.it.binlog;

import org.jspecify.annotations.NullMarked;
