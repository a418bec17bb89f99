@NullMarked
package io.fanfold.merge;

import org.jspecify.annotations.NullMarked;
