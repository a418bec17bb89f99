/** The settings: immutable records and the loader of the YAML file. Imports nothing of Fanfold. */
@NullMarked
package io.fanfold.config;

import org.jspecify.annotations.NullMarked;
