/** Databases, tables and statements for tests, and what a server did with them. */
@NullMarked
package io.fanfold.it.support.data;

import org.jspecify.annotations.NullMarked;
