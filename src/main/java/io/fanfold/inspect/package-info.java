/**
 * Examines the server, the worker account and the settings. Reports whether statements can be split, and what to change
 * if not: at start, later if that changes, and for {@code check-config --connect}.
 *
 * <p>It does not decide about single statements.
 */
@NullMarked
package io.fanfold.inspect;

import org.jspecify.annotations.NullMarked;
