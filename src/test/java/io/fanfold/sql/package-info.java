@NullMarked
package io.fanfold.sql;

import org.jspecify.annotations.NullMarked;
