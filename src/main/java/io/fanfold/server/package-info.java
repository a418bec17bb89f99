/** Listeners, start, drain and stop. */
@NullMarked
package io.fanfold.server;

import org.jspecify.annotations.NullMarked;
