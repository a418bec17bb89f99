/** The command line and the only place where the parts are wired together. */
@NullMarked
package io.fanfold.cli;

import org.jspecify.annotations.NullMarked;
