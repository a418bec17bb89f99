/** Whether a replica has the data of its primary, and nothing else. */
@NullMarked
package io.fanfold.replica;

import org.jspecify.annotations.NullMarked;
