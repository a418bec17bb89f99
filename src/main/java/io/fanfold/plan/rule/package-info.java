/** Quirks of servers for which a statement is not split: one file for each, with the test that proves it. */
@NullMarked
package io.fanfold.plan.rule;

import org.jspecify.annotations.NullMarked;
