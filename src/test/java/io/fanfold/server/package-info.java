/** Tests of the listener. */
@NullMarked
package io.fanfold.server;

import org.jspecify.annotations.NullMarked;
