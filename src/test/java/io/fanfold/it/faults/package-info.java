/** Networks, disks and servers that fail. */
@NullMarked
package io.fanfold.it.faults;

import org.jspecify.annotations.NullMarked;
