/** Tests of framing, of packets, and of where a response ends. */
@NullMarked
package io.fanfold.protocol;

import org.jspecify.annotations.NullMarked;
