/** Fan-outs that read replicas. */
@NullMarked
package io.fanfold.it.replicas;

import org.jspecify.annotations.NullMarked;
