/** Statements that end early: kills, clients that leave, a proxy that stops. */
@NullMarked
package io.fanfold.it.cancel;

import org.jspecify.annotations.NullMarked;
