/** Work that runs beside a test: writers, DDL, killed clients, repeated for a time. */
@NullMarked
package io.fanfold.it.support.load;

import org.jspecify.annotations.NullMarked;
