/** The wire protocol: logins, encryption, compression, long packets, session tracking. */
@NullMarked
package io.fanfold.it.protocol;

import org.jspecify.annotations.NullMarked;
