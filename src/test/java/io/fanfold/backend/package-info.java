/** Tests of the server side: against scripted servers, and (*IT) against real ones. */
@NullMarked
package io.fanfold.backend;

import org.jspecify.annotations.NullMarked;
