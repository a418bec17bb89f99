/**
 * {@code fanfold fuzz}: generates random statements, compares direct answers with those through proxies, and reduces a
 * statement whose answers differ.
 *
 * <p>The proxy does not use this package.
 */
@NullMarked
package io.fanfold.cli.fuzz;

import org.jspecify.annotations.NullMarked;
