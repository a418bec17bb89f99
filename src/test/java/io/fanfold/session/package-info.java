/** Tests of sessions on scripted and on real servers. */
@NullMarked
package io.fanfold.session;

import org.jspecify.annotations.NullMarked;
