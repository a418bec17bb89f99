package io.fanfold.it.support.proxy;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;

/**
 * Detects blocking calls on event loops of this JVM. They fail there, and in {@link #requireNothingBlocked}.
 * Thread-safe.
 */
public final class EventLoopGuard {
    /** The JVM must be started such that JDK classes can be instrumented. The build does so. */
    public static final boolean POSSIBLE = Boolean.getBoolean("fanfold.it.event-loop-guard");

    private static final Queue<BlockingOperationError> BLOCKED = new ConcurrentLinkedQueue<>();

    static {
        if (POSSIBLE) {
            BlockHound.builder()
                    .loadIntegrations()
                    // sessions are added and removed under a lock that protects only a map access
                    .allowBlockingCallsInside("io.fanfold.server.SessionRegistry", "accept")
                    .allowBlockingCallsInside("io.fanfold.server.SessionRegistry", "remove")
                    // a thread that waits for a client's socket holds its lock only to check two flags
                    .allowBlockingCallsInside("io.fanfold.session.command.WriteBackpressure", "wake")
                    .allowBlockingCallsInside("io.fanfold.session.command.WriteBackpressure", "shut")
                    .allowBlockingCallsInside("io.fanfold.session.command.WriteBackpressure", "stopWaiting")
                    // an exchange is locked while a batch is added or removed
                    .allowBlockingCallsInside("io.fanfold.operator.Exchange", "cancel")
                    // a queue of requests is locked while one is removed
                    .allowBlockingCallsInside("io.fanfold.pool.AdmissionController", "withdraw")
                    // a pool's queue is locked while a task is added
                    .allowBlockingCallsInside("java.util.concurrent.ThreadPoolExecutor", "execute")
                    // the queue of timers is locked while one is added
                    .allowBlockingCallsInside("io.fanfold.execute.StatementThreads", "giveUpAfter")
                    // a TLS engine is locked while another thread computes a handshake step, during which a peer may
                    // disconnect
                    .allowBlockingCallsInside("sun.security.ssl.SSLEngineImpl", "closeOutbound")
                    .allowBlockingCallsInside("sun.security.ssl.SSLEngineImpl", "closeInbound")
                    .allowBlockingCallsInside("sun.security.ssl.SSLEngineImpl", "getSession")
                    .allowBlockingCallsInside("sun.security.ssl.SSLEngineImpl", "wrap")
                    // Netty locks the parts of its allocator while it adds parts for more threads, a few times in a
                    // process
                    .allowBlockingCallsInside(
                            "io.netty.buffer.AdaptivePoolingAllocator$MagazineGroup", "tryExpandMagazines")
                    // a test's own list of outcomes
                    .allowBlockingCallsInside(ProxiedServer.class.getName() + "$Outcomes", "passedThrough")
                    .blockingMethodCallback(method -> {
                        BlockingOperationError error = new BlockingOperationError(method);
                        BLOCKED.add(error);
                        throw error;
                    })
                    .install();
        }
    }

    private EventLoopGuard() {}

    /** Starts to detect blocking calls. */
    public static void install() {
        // the class is initialized
    }

    /** Returns the blocking calls since the last call. */
    public static List<BlockingOperationError> blocked() {
        List<BlockingOperationError> errors = List.copyOf(BLOCKED);
        BLOCKED.removeAll(errors);
        return errors;
    }

    public static void requireNothingBlocked() {
        List<BlockingOperationError> errors = blocked();
        if (!errors.isEmpty()) {
            throw new AssertionError("an event loop was blocked " + errors.size() + " times", errors.get(0));
        }
    }
}
