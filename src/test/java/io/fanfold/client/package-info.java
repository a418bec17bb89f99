/** Tests of the server side: against scripted servers, and (*IT) against real ones. */
@NullMarked
package io.fanfold.client;

import org.jspecify.annotations.NullMarked;
