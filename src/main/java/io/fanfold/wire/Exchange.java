package io.fanfold.wire;

/**
 * One command and who is owed the response to it. Immutable; how far the response has arrived is known to the
 * {@link Conversation}.
 *
 * @param code the command's first byte; -1 if the command is empty
 * @param cursor whether the command asks for a cursor
 * @param audience who gets the response's packets
 * @param firstSequence the sequence id with which the server begins the response, 0 to 255
 * @param shift the number of packets that the client was already sent in place of the server's: the ids of the response
 *     are raised by it; 0 for a response that is not passed on
 * @param observer is told each packet of the response
 */
public record Exchange(int code, boolean cursor, Audience audience, int firstSequence, int shift, Observer observer) {
    private static final int CURSOR_TYPES = 7;

    /** Who gets the packets of a response. */
    public enum Audience {
        /** They are passed on to the client, and the observer is told. */
        CLIENT,
        /** Only the observer is told. */
        PROXY
    }

    /** Is told the packets of a response. Called on the conversation's thread, in the order of the packets. */
    public interface Observer {
        /** Wants to know nothing. */
        Observer NONE = (role, packet, last) -> {};

        /** Returns the number of bytes of the next packet that are needed. At least the prefix of it is kept anyway. */
        default int wanted() {
            return Conversation.PREFIX;
        }

        /**
         * A packet has arrived.
         *
         * @param packet borrowed
         * @param last whether it ended the response, which is then no longer owed
         * @throws ProtocolException if it is not what the command asks for
         */
        void packet(PacketRole role, PacketPrefix packet, boolean last) throws ProtocolException;

        /** The connection has ended before the response. */
        default void lost() {}
    }

    /**
     * Returns a command of one packet.
     *
     * @param payload its first bytes, at least {@link Conversation#COMMAND_PREFIX} or all
     */
    public static Exchange of(byte[] payload, Audience audience, Observer observer) {
        return of(payload, audience, 1, 0, observer);
    }

    /**
     * Returns a command.
     *
     * @param payload its first bytes, at least {@link Conversation#COMMAND_PREFIX} or all
     */
    public static Exchange of(byte[] payload, Audience audience, int firstSequence, int shift, Observer observer) {
        int code = payload.length == 0 ? -1 : payload[0] & 0xff;
        boolean cursor = code == CommandCode.STMT_EXECUTE && payload.length > 5 && (payload[5] & CURSOR_TYPES) != 0;
        return new Exchange(code, cursor, audience, firstSequence, shift, observer);
    }
}
