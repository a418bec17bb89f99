/** A database server for people who want to try Fanfold without having one, and for the tests of Fanfold itself. */
@NullMarked
package io.fanfold.cli.demo;

import org.jspecify.annotations.NullMarked;
