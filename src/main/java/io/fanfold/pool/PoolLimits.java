package io.fanfold.pool;

import io.fanfold.config.WorkersConfig;

/**
 * The limits of an {@link AdmissionController}.
 *
 * @param total the number of permits
 * @param ofUser the largest number of permits of one user
 * @param queue the largest number of waiting requests, 0 or more; the proxy's own requests do not count
 */
record PoolLimits(int total, int ofUser, int queue) {
    static PoolLimits of(WorkersConfig workers) {
        return new PoolLimits(workers.connections(), workers.connectionsPerUser(), workers.queueLength());
    }
}
