/**
 * {@code fanfold bench}: measures what a split gains, what a fan-out costs, and what passing through costs. It
 * compares only measurements of the same run.
 *
 * <p>The server, the tables and the client are those of {@code io.fanfold.cli.demo}. The proxy does not use this
 * package.
 */
@NullMarked
package io.fanfold.cli.bench;

import org.jspecify.annotations.NullMarked;
