@NullMarked
package io.fanfold.binlog;

import org.jspecify.annotations.NullMarked;
