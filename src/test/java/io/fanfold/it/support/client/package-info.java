/** Clients, and the comparison of what they see direct and through a proxy. */
@NullMarked
package io.fanfold.it.support.client;

import org.jspecify.annotations.NullMarked;
