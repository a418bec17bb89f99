/**
 * Why statements are passed through: {@link io.fanfold.reason.Reason} and the one record and exception that carry it.
 */
@NullMarked
package io.fanfold.reason;

import org.jspecify.annotations.NullMarked;
