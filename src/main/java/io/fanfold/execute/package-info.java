/** Running one fan-out: admission, snapshot, partition queries, merge, finish; the registry of live queries. */
@NullMarked
package io.fanfold.execute;

import org.jspecify.annotations.NullMarked;
