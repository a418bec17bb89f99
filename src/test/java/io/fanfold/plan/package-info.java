/** Tests of planning: golden plans and refusals. */
@NullMarked
package io.fanfold.plan;

import org.jspecify.annotations.NullMarked;
