/** Many clients, little memory, few connections, and clients that attack. */
@NullMarked
package io.fanfold.it.limits;

import org.jspecify.annotations.NullMarked;
