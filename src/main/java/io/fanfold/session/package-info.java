/** One client: its phases, the command router, the relay to its backend connection, the writer of folded results. */
@NullMarked
package io.fanfold.session;

import org.jspecify.annotations.NullMarked;
