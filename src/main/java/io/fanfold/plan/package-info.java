/**
 * Decides whether and how a statement is split: into partition queries, a merge and a final query, or a reason why not.
 * Compares the costs.
 *
 * <p>It opens no connection and runs no query. {@code io.fanfold.execute} gives it the server's answers and runs its
 * plans.
 */
@NullMarked
package io.fanfold.plan;

import org.jspecify.annotations.NullMarked;
