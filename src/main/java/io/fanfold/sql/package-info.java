/** Reading statements: filter, lexer, guard chain, the model of a SELECT with its source spans. The only importer of JSqlParser. */
@NullMarked
package io.fanfold.sql;

import org.jspecify.annotations.NullMarked;
