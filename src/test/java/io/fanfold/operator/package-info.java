@NullMarked
package io.fanfold.operator;

import org.jspecify.annotations.NullMarked;
