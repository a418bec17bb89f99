package io.fanfold.session.command;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.LoggerFactory;

/**
 * Logs that statements of a user's sessions are passed through only because of their transactions, which many drivers
 * begin by default. It does so once an hour for each user, so that many sessions do not fill the log. Thread-safe.
 */
public final class TransactionAdvice {
    static final Duration PAUSE = Duration.ofHours(1);

    /**
     * The number of users that are remembered. Beyond it the oldest entry is dropped, and that user's advice may be
     * logged again earlier.
     */
    static final int MOST_USERS = 1_000;

    private final LongSupplier nanoTime;
    private final Consumer<String> log;

    /** When the advice was last logged for each user, oldest first. */
    @GuardedBy("this")
    private final Map<String, Long> advised = new LinkedHashMap<>();

    /** Logs to the logger of this class. */
    public TransactionAdvice() {
        this(System::nanoTime, LoggerFactory.getLogger(TransactionAdvice.class)::info);
    }

    TransactionAdvice(LongSupplier nanoTime, Consumer<String> log) {
        this.nanoTime = nanoTime;
        this.log = log;
    }

    /**
     * A statement that might have been split was passed through because of its transaction.
     *
     * @param session the session's name in the log
     * @param autocommit whether autocommit is on, so that a statement has begun the transaction
     */
    void advise(String user, String session, boolean autocommit) {
        if (due(user)) {
            String remedy = autocommit
                    ? "Run reports outside BEGIN ... COMMIT, or first in the transaction"
                    : "Run reports first in a transaction, or with autocommit (Python drivers: autocommit=True)";
            log.accept(session
                    + ": SELECTs are not split in a transaction that begins with another statement. "
                    + remedy
                    + "; see in_transaction in docs/what-is-split.md (logged at most once an hour for each user)");
        }
    }

    private synchronized boolean due(String user) {
        long now = nanoTime.getAsLong();
        Long last = advised.get(user);
        if (last != null && now - last < PAUSE.toNanos()) {
            return false;
        }
        advised.remove(user);
        advised.put(user, now);
        if (advised.size() > MOST_USERS) {
            advised.remove(advised.keySet().iterator().next());
        }
        return true;
    }
}
