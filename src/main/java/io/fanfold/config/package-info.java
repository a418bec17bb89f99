/**
 * The settings: immutable records, and the loader of the YAML file with its checks.
 *
 * <p>Checks that need a server are in {@code io.fanfold.inspect}. This package imports nothing of Fanfold.
 */
@NullMarked
package io.fanfold.config;

import org.jspecify.annotations.NullMarked;
