/** Tests of the whole: the rules that every package keeps. */
@NullMarked
package io.fanfold;

import org.jspecify.annotations.NullMarked;
