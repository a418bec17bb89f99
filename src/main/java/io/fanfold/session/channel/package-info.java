/**
 * What all phases of a session use: writes to channels, errors, compression, limits, and the session as its handlers see it.
 */
@NullMarked
package io.fanfold.session.channel;

import org.jspecify.annotations.NullMarked;
