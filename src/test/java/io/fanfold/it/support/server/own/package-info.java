/** Servers of one test alone, which it may stop, replicate or fill. */
@NullMarked
package io.fanfold.it.support.server.own;

import org.jspecify.annotations.NullMarked;
