/** What is read: partitioning schemes, co-partitioned tables, filters, rows read, rights, settings of tables. */
@NullMarked
package io.fanfold.it.tables;

import org.jspecify.annotations.NullMarked;
