/** Proxies for tests, relays that damage or count traffic, and checks that nothing remains. */
@NullMarked
package io.fanfold.it.support.proxy;

import org.jspecify.annotations.NullMarked;
