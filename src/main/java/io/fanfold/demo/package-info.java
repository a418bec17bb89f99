/**
 * {@code fanfold demo}: an embedded MariaDB, the tables and queries of the Star Schema Benchmark, and a comparison of
 * direct answers with those through the proxy.
 *
 * <p>The benchmark, the fuzzer and Fanfold's tests use the same server and the same blocking client. The proxy does not
 * use this package.
 */
@NullMarked
package io.fanfold.demo;

import org.jspecify.annotations.NullMarked;
