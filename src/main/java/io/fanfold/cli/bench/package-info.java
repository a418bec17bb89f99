/** Measures, as ratios within one run, what a split gains, what it costs, and what passing through costs. */
@NullMarked
package io.fanfold.cli.bench;

import org.jspecify.annotations.NullMarked;
