package io.fanfold.it;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;

/**
 * Notices blocking calls on event loops of this JVM: they fail there, and in {@link #requireNothingBlocked}. Safe for all
 * threads.
 */
final class EventLoopGuard {
    /** The JVM must have been started so that classes of the JDK can be instrumented; the build does. */
    static final boolean POSSIBLE = Boolean.getBoolean("fanfold.it.event-loop-guard");

    private static final Queue<BlockingOperationError> BLOCKED = new ConcurrentLinkedQueue<>();

    static {
        if (POSSIBLE) {
            BlockHound.builder()
                    .loadIntegrations()
                    // sessions come and go under a lock that is held for a look into a map
                    .allowBlockingCallsInside("io.fanfold.server.SessionRegistry", "accept")
                    .allowBlockingCallsInside("io.fanfold.server.SessionRegistry", "remove")
                    // and who waits for a client's socket holds its lock for a look at two flags
                    .allowBlockingCallsInside("io.fanfold.session.command.WriteBackpressure", "wake")
                    .allowBlockingCallsInside("io.fanfold.session.command.WriteBackpressure", "shut")
                    .allowBlockingCallsInside("io.fanfold.session.command.WriteBackpressure", "stopWaiting")
                    // and a queue of rows is locked while a batch is put into it or taken out
                    .allowBlockingCallsInside("io.fanfold.operator.Exchange", "cancel")
                    // and a queue of requests is locked while one is taken out
                    .allowBlockingCallsInside("io.fanfold.pool.AdmissionController", "withdraw")
                    // and a pool's queue while a task is put into it
                    .allowBlockingCallsInside("java.util.concurrent.ThreadPoolExecutor", "execute")
                    // and a TLS engine is locked while another thread computes a step of a handshake, at whose end a
                    // peer may have left
                    .allowBlockingCallsInside("sun.security.ssl.SSLEngineImpl", "closeOutbound")
                    .allowBlockingCallsInside("sun.security.ssl.SSLEngineImpl", "closeInbound")
                    .allowBlockingCallsInside("sun.security.ssl.SSLEngineImpl", "getSession")
                    .allowBlockingCallsInside("sun.security.ssl.SSLEngineImpl", "wrap")
                    // and a test's own list of what became of statements
                    .allowBlockingCallsInside("io.fanfold.it.ProxiedServer$Outcomes", "passedThrough")
                    .blockingMethodCallback(method -> {
                        BlockingOperationError error = new BlockingOperationError(method);
                        BLOCKED.add(error);
                        throw error;
                    })
                    .install();
        }
    }

    private EventLoopGuard() {}

    /** From here on they are noticed. */
    static void install() {
        // the class is initialised
    }

    /** What was blocked since the last call. */
    static List<BlockingOperationError> blocked() {
        List<BlockingOperationError> errors = List.copyOf(BLOCKED);
        BLOCKED.removeAll(errors);
        return errors;
    }

    static void requireNothingBlocked() {
        List<BlockingOperationError> errors = blocked();
        if (!errors.isEmpty()) {
            throw new AssertionError("an event loop was blocked " + errors.size() + " times", errors.get(0));
        }
    }
}
