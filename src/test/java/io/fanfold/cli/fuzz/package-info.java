@NullMarked
package io.fanfold.cli.fuzz;

import org.jspecify.annotations.NullMarked;
