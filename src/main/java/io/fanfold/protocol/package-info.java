/** The MySQL client/server protocol: framing, packets, capabilities, where a response ends. No policy lives here. */
@NullMarked
package io.fanfold.protocol;

import org.jspecify.annotations.NullMarked;
