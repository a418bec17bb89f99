/** What the proxy tells about its server and settings: whether statements can be split, and what to change if not. */
@NullMarked
package io.fanfold.inspect;

import org.jspecify.annotations.NullMarked;
