/**
 * Says before a proxy runs what it would split: of one statement, or of a server's load.
 *
 * <p>A proxy inside the process explains the statements. This package contains no rules about splitting.
 */
@NullMarked
package io.fanfold.observe;

import org.jspecify.annotations.NullMarked;
