/** Tables of what the proxy does and has done, for {@code SHOW FANFOLD} and for the HTTP port. */
@NullMarked
package io.fanfold.status;

import org.jspecify.annotations.NullMarked;
