package io.fanfold.wire;

/**
 * One command, and who gets its response. Immutable. The {@link Conversation} knows how much of the response has
 * arrived.
 *
 * @param code the command's first byte; -1 if the command is empty
 * @param cursor whether the command asks for a cursor
 * @param audience who gets the response's packets
 * @param firstSequence the sequence id with which the server begins the response, 0 to 255
 * @param shift the number of packets that the proxy sent to the client before this response. It is added to the
 *     response's ids; 0 for replies to the proxy
 * @param observer is told each packet of the response
 */
public record CommandExchange(
        int code, boolean cursor, Audience audience, int firstSequence, int shift, Observer observer) {
    private static final int CURSOR_TYPES = 7;

    /** Who gets the packets of a response. */
    public enum Audience {
        /** They are passed on to the client. The observer is told each packet that is not a row. */
        CLIENT,
        /** Only the observer is told. */
        PROXY
    }

    /** Is told the packets of a response. Called on the conversation's thread, in the order of the packets. */
    public interface Observer {
        /** Ignores all packets. */
        Observer NONE = (role, packet, last) -> {};

        /** Returns how many bytes of the next packet it needs. {@link Conversation#PREFIX} bytes are always kept. */
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

        /** The connection has ended before the response, or {@link #packet} threw at its last packet. */
        default void lost() {}
    }

    /**
     * Returns a command of one packet.
     *
     * @param payload its first bytes, at least {@link Conversation#COMMAND_PREFIX} or all
     */
    public static CommandExchange of(byte[] payload, Audience audience, Observer observer) {
        return of(payload, audience, 1, 0, observer);
    }

    /**
     * Returns a command.
     *
     * @param payload its first bytes, at least {@link Conversation#COMMAND_PREFIX} or all
     */
    public static CommandExchange of(
            byte[] payload, Audience audience, int firstSequence, int shift, Observer observer) {
        int code = payload.length == 0 ? -1 : payload[0] & 0xff;
        boolean cursor = code == CommandCode.STMT_EXECUTE && payload.length > 5 && (payload[5] & CURSOR_TYPES) != 0;
        return new CommandExchange(code, cursor, audience, firstSequence, shift, observer);
    }
}
