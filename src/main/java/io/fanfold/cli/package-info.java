/**
 * The commands of the command line, and the only place where the parts of the proxy are wired together.
 *
 * <p>Commands start a proxy through {@code ProxyFactory}. They contain no rules about splitting.
 */
@NullMarked
package io.fanfold.cli;

import org.jspecify.annotations.NullMarked;
