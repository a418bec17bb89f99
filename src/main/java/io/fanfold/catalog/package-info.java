/** What is partitioned and how. Loaded from the server, and never trusted without a re-check at the time of use. */
@NullMarked
package io.fanfold.catalog;

import org.jspecify.annotations.NullMarked;
