/** Deciding: which statement is split, into what partition query, merge and finish; or the reason why not. */
@NullMarked
package io.fanfold.plan;

import org.jspecify.annotations.NullMarked;
