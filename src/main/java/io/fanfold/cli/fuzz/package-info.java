/** {@code fanfold fuzz}: random statements, direct and through the proxy, and the smallest form of any difference. */
@NullMarked
package io.fanfold.cli.fuzz;

import org.jspecify.annotations.NullMarked;
