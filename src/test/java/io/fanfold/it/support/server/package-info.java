/** The servers that tests run on, and the annotations that choose them. */
@NullMarked
package io.fanfold.it.support.server;

import org.jspecify.annotations.NullMarked;
