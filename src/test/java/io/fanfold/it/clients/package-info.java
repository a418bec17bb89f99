/** Drivers, frameworks, pools and tools in many languages. */
@NullMarked
package io.fanfold.it.clients;

import org.jspecify.annotations.NullMarked;
