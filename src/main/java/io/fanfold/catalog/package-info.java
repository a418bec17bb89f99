/**
 * The list of partitioned tables and how they are partitioned, loaded from the server.
 *
 * <p>The list may be old, so it only selects statements for a closer look. {@code io.fanfold.execute} reads the
 * partitions again inside the workers' snapshot before it splits a statement.
 */
@NullMarked
package io.fanfold.catalog;

import org.jspecify.annotations.NullMarked;
