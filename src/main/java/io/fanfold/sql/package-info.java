/**
 * Reads statements: a fast filter, a lexer, a parser, and checks that lexer and parser agree. The result is a model of
 * the SELECT with its positions in the text.
 *
 * <p>It does not know which tables are partitioned. {@code io.fanfold.plan} decides about splitting. This is the only
 * package that uses JSqlParser.
 */
@NullMarked
package io.fanfold.sql;

import org.jspecify.annotations.NullMarked;
