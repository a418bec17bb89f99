/** Tests of framing, of packets, and of where a response ends. */
@NullMarked
package io.fanfold.wire;

import org.jspecify.annotations.NullMarked;
