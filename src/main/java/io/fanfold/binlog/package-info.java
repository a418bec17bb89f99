/**
 * The change stream: Fanfold reads the server's binary log as a replica does, and knows which tables and partitions
 * no commit has changed between two snapshots. It reads no row.
 */
@NullMarked
package io.fanfold.binlog;

import org.jspecify.annotations.NullMarked;
