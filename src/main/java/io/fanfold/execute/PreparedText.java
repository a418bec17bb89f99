package io.fanfold.execute;

import io.fanfold.backend.SessionSettings;
import io.fanfold.protocol.DefinitionsDigest;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The text of a statement that a client prepared. What it means was decided then, under the settings that the session had
 * then: later executions are split only where the settings are the same. They are known once they have been read while
 * nothing had been sent that might change them. Safe for all threads.
 */
public final class PreparedText {
    private final byte[] sql;
    private final int columns;
    private final Optional<DefinitionsDigest> announced;
    private final AtomicReference<Optional<DefinitionsDigest>> told;
    private final AtomicReference<SessionSettings> settings = new AtomicReference<>();
    private volatile boolean harmless;

    /** The types of parameters with which the server has executed it last; not to be changed. */
    private volatile byte[] executed = {};

    /**
     * A text.
     *
     * @param sql kept, not to be changed
     * @param columns how many it has, as the client was told
     * @param announced the definitions of its columns, where executions leave them out as long as they are the same
     */
    public PreparedText(byte[] sql, int columns, Optional<DefinitionsDigest> announced) {
        this.sql = sql;
        this.columns = columns;
        this.announced = announced;
        this.told = new AtomicReference<>(announced);
    }

    /**
     * Whether an answer of these columns is what the client expects. Of another number of columns servers tell by a flag of their
     * status, once, so that the execution has to be theirs.
     */
    boolean announced(List<byte[]> definitions) {
        return definitions.size() == columns
                && (announced.isEmpty() || announced.get().equals(DefinitionsDigest.of(definitions)));
    }

    /**
     * Remembers the definitions of an answer that the client now gets.
     *
     * @return whether the answer leaves them out, since the client keeps definitions and was told these last
     */
    public boolean tell(List<byte[]> definitions) {
        if (announced.isEmpty()) {
            return false;
        }
        Optional<DefinitionsDigest> now = Optional.of(DefinitionsDigest.of(definitions));
        return told.getAndSet(now).equals(now);
    }

    /** How many columns the client was told of when it was prepared. */
    public int columns() {
        return columns;
    }

    /** The text in the session's character set; not to be changed. */
    public byte[] sql() {
        return sql;
    }

    /** Whether running it is known to change no settings: it calls only functions that are known, and reads no views. */
    public boolean harmless() {
        return harmless;
    }

    /**
     * The server executed it with parameters of these types, two bytes for each. MySQL decides by them how it compares, also in
     * later executions.
     *
     * @param types not to be changed
     */
    public void executedWith(byte[] types) {
        executed = types;
    }

    /** Whether the server executed it last with parameters of these types. */
    boolean wasExecutedWith(byte[] types) {
        return Arrays.equals(executed, types);
    }

    /**
     * Whether it means under these settings what it meant when it was prepared. To be asked once the text was read and its
     * tables are known.
     *
     * @param unchanged whether nothing but itself that might have changed them was sent since it was prepared
     */
    boolean means(SessionSettings now, boolean unchanged) {
        harmless = true;
        SessionSettings known = settings.get();
        if (known == null && unchanged) {
            settings.compareAndSet(null, now);
            return true;
        }
        return known != null && known.sameAs(now);
    }
}
