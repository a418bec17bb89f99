/** Tests against real servers, and what they share: the servers themselves. */
@NullMarked
package io.fanfold.it;

import org.jspecify.annotations.NullMarked;
