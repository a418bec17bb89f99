package io.fanfold.server;

import io.fanfold.session.ClientSession;
import io.fanfold.session.channel.SessionUse;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the clients of a stopping proxy do at one moment. Its text is for the log. Immutable.
 *
 * @param counts the number of sessions with each use; ended sessions are not among them
 */
record SessionCensus(Map<SessionUse, Integer> counts) {
    /** An event loop that has ended, or is busy, does not answer. */
    private static final long PATIENCE_MILLIS = 500;

    private static final Logger LOG = LoggerFactory.getLogger(SessionCensus.class);

    SessionCensus {
        counts = Map.copyOf(counts);
    }

    /** Asks all sessions. Waits for their event loops, at most half a second. */
    static SessionCensus of(Collection<ClientSession> sessions) throws InterruptedException {
        List<CompletableFuture<SessionUse>> uses =
                sessions.stream().map(ClientSession::seen).toList();
        try {
            // not completeOnTimeout: the event loop that answers last would take the lock of a timer
            CompletableFuture.allOf(uses.toArray(CompletableFuture[]::new)).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.debug("not every event loop has answered", e);
        }
        Map<SessionUse, Integer> counts = new EnumMap<>(SessionUse.class);
        for (CompletableFuture<SessionUse> use : uses) {
            SessionUse known = use.isDone() && !use.isCompletedExceptionally()
                    ? Objects.requireNonNull(use.join())
                    : SessionUse.STATEMENT;
            if (known != SessionUse.ENDED) {
                counts.merge(known, 1, Integer::sum);
            }
        }
        return new SessionCensus(counts);
    }

    int total() {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    @Override
    public String toString() {
        if (counts.isEmpty()) {
            return "no clients";
        }
        String parts = new EnumMap<>(counts)
                .entrySet().stream()
                        .map(each -> each.getValue() + " " + each.getKey().words())
                        .collect(Collectors.joining(", "));
        return total() + (total() == 1 ? " client: " : " clients: ") + parts;
    }
}
