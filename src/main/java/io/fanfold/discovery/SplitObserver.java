package io.fanfold.discovery;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.client.ConnectFailure;
import io.fanfold.reason.Reason;

/** Receives events of splitting. Every method is safe for all threads; the defaults do nothing. */
public interface SplitObserver {
    /** Observes nothing. */
    SplitObserver NONE = new SplitObserver() {};

    /** No worker connection could be opened to read the catalog. */
    default void unreachable(ConnectFailure failure) {}

    /**
     * The catalog was read. The method may use worker connections and take some time: it runs on the thread that reads
     * the catalog, and nothing else waits for it.
     *
     * @param changed whether this is the first reading, or tables, their partitions or the server have changed since
     *     the last
     */
    default void catalogRead(CatalogSnapshot catalog, boolean changed) {}

    /** A statement that seemed worth splitting was passed through. Returns at once. */
    default void passedThrough(Reason reason, String detail) {}

    /** A statement was answered by a fan-out. Returns at once. */
    default void fannedOut() {}
}
