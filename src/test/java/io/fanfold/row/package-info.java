@NullMarked
package io.fanfold.row;

import org.jspecify.annotations.NullMarked;
