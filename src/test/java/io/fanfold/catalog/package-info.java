@NullMarked
package io.fanfold.catalog;

import org.jspecify.annotations.NullMarked;
