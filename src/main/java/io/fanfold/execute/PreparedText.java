package io.fanfold.execute;

import io.fanfold.variables.SessionSettings;
import io.fanfold.wire.DefinitionsDigest;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The text of a statement that a client prepared. Its meaning was fixed by the session's settings at that time, so
 * later executions are split only under the same settings. These are known if they were read before the client sent
 * anything that might change them. Safe for all threads.
 */
public final class PreparedText {
    private final byte[] sql;
    private final int columns;
    private final Optional<DefinitionsDigest> announced;
    private final AtomicReference<Optional<DefinitionsDigest>> told;
    private final AtomicReference<SessionSettings> settings = new AtomicReference<>();
    private volatile boolean harmless;

    /** The parameter types of the server's last execution; not to be changed. */
    private volatile byte[] executed = {};

    /**
     * A prepared text.
     *
     * @param sql retained, so the caller must not change it
     * @param columns the number of columns that the client was sent
     * @param announced the column definitions, if executions leave them out while they stay the same
     */
    public PreparedText(byte[] sql, int columns, Optional<DefinitionsDigest> announced) {
        this.sql = sql;
        this.columns = columns;
        this.announced = announced;
        this.told = new AtomicReference<>(announced);
    }

    /**
     * Whether the client expects an answer with these columns. If their number changes, servers set a status flag once,
     * so the server must then execute the statement.
     */
    boolean announced(List<byte[]> definitions) {
        return definitions.size() == columns
                && (announced.isEmpty() || announced.get().equals(DefinitionsDigest.of(definitions)));
    }

    /**
     * Remembers the definitions of the answer that the client gets now.
     *
     * @return whether the answer leaves them out, because the client keeps definitions and these were the last it was
     *     sent
     */
    public boolean announce(List<byte[]> definitions) {
        if (announced.isEmpty()) {
            return false;
        }
        Optional<DefinitionsDigest> now = Optional.of(DefinitionsDigest.of(definitions));
        return told.getAndSet(now).equals(now);
    }

    /** The number of columns that the client was sent when it prepared the statement. */
    public int columns() {
        return columns;
    }

    /** The text in the session's character set; not to be changed. */
    public byte[] sql() {
        return sql;
    }

    /** Whether running it is known to change no settings: it calls only known functions, and reads no views. */
    public boolean harmless() {
        return harmless;
    }

    /**
     * Records an execution by the server. MySQL decides by the parameter types how it compares, also in later
     * executions.
     *
     * @param types two bytes for each parameter; not to be changed
     */
    public void executedWith(byte[] types) {
        executed = types;
    }

    /** Whether the server's last execution had parameters of these types. */
    boolean wasExecutedWith(byte[] types) {
        return Arrays.equals(executed, types);
    }

    /** The text was read and its tables are known: see {@link #harmless}. */
    void markHarmless() {
        harmless = true;
    }

    /**
     * Whether it means the same under these settings as when it was prepared.
     *
     * @param unchanged whether only its own executions, and nothing else that might change settings, were sent since it
     *     was prepared
     */
    boolean means(SessionSettings now, boolean unchanged) {
        SessionSettings known = settings.get();
        if (known == null && unchanged) {
            settings.compareAndSet(null, now);
            return true;
        }
        return known != null && known.sameAs(now);
    }
}
