/** Tests of the HTTP port. */
@NullMarked
package io.fanfold.http;

import org.jspecify.annotations.NullMarked;
