package io.fanfold.execute;

import io.fanfold.execute.RecentRefusals.RefusedText;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.Refusal.HoldsFor;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Hint;
import io.fanfold.sql.StatementModel;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What earlier executions of a statement say about this one, and what this one leaves for later ones. Statements that
 * differ only in literals have the same digest.
 *
 * @param sql the text as the client sent it
 * @param schema empty if the session has none; null while it is not known
 * @param digest of the schema and the text without literals
 * @param shown the text without its literals, for statistics
 * @param bindsNull whether a parameter is NULL. The prepared text is also executed with other values, so nothing about
 *     the text is remembered then
 * @param sameForAll whether the settings are the same for all accounts
 */
record StatementHistory(
        RecentRefusals refusals,
        ExecutionHistory history,
        FailedAttempts attempts,
        byte[] sql,
        @Nullable String schema,
        String digest,
        String shown,
        boolean bindsNull,
        boolean sameForAll) {
    /** Refuses the statement if it, or one with the same digest in that schema, was refused or was slower when split. */
    void requireNotRefused(StatementModel statement, CostModel costs) throws RefusedException {
        Optional<Reason> recent = refusals.byDigest(digest);
        if (recent.isPresent() && !(statement.hint() instanceof Hint.Parallel)) {
            if (!bindsNull) {
                rememberTextForNow(recent.get());
            }
            throw new RefusedException(recent.get(), "a like statement was refused a moment ago");
        }
        Optional<Reason> paused = attempts.paused(digest);
        if (paused.isPresent() && !costs.open(statement)) {
            throw new RefusedException(paused.get(), "a split of a like statement was given up a while ago");
        }
        costs.requireNotSlower(statement, digest);
    }

    /** Remembers a refusal that was made without asking the server. */
    void rememberUnasked(Refusal refusal) {
        if (refusal.reason() == Reason.TABLE_DISABLED && !sameForAll) {
            return;
        }
        if (refusal.holdsFor() == HoldsFor.TEXT) {
            refusals.rememberText(sql, new RefusedText(refusal.reason(), shown));
        } else if (refusal.reason() == Reason.MEASURED && history.isShort(digest)) {
            // a long one comes here each time, so that it counts among those that keep the cores busy
            rememberForNow(refusal.reason());
        } else if (refusal.reason() == Reason.PARAMETER && !bindsNull) {
            // binding worked for these values, so the refusal is about the places of the parameters
            rememberTextForNow(refusal.reason());
        }
    }

    /** Remembers a refusal after preflight, if it will probably hold for the next execution too. */
    void remember(Refusal refusal) {
        boolean holds = refusal.reason() == Reason.TABLE_DISABLED ? sameForAll : refusal.holdsFor() == HoldsFor.MOMENT;
        if (holds) {
            rememberForNow(refusal.reason());
        }
    }

    /** Refuses the text and the digest for some time. */
    void rememberForNow(Reason reason) {
        if (bindsNull) {
            refusals.rememberForNow(digest, reason);
        } else if (schema != null) {
            refusals.rememberForNow(sql, schema, digest, new RefusedText(reason, shown));
        }
    }

    /** Refuses the text for some time, but not others with its digest. */
    void rememberTextForNow(Reason reason) {
        if (schema != null) {
            refusals.rememberTextForNow(sql, schema, new RefusedText(reason, shown));
        }
    }

    /** Counts a split that was given up after its workers had started. */
    void failed(Reason reason, long nanos) {
        attempts.failed(digest, reason, nanos);
    }

    /**
     * Measures the time until the server has answered the statement that is passed through next.
     *
     * @param decides whether later executions are split only if that was faster, or only the work is compared
     */
    void measureUnsplit(FanOutScope scope, boolean decides) {
        long start = System.nanoTime();
        ServerLoad.Mark begin = scope.shared().registry().load().mark();
        CompletableFuture<Void> unused = scope.client().relayed().thenAccept(end -> {
            if (end != ClientConnection.RelayEnd.ANSWERED) {
                return;
            }
            long nanos = System.nanoTime() - start;
            history.unsplit(digest, (long) (nanos / scope.loadSince(begin)));
            if (decides) {
                history.direct(digest, nanos);
            }
        });
    }
}
