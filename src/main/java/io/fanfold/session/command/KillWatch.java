package io.fanfold.session.command;

import io.fanfold.session.channel.QueryText;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PacketRole;
import io.fanfold.wire.PayloadReader;
import io.fanfold.wire.ProtocolException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;

/** Recognises commands that kill a thread, and finds out which of them the server has carried out. Event loop only. */
final class KillWatch {
    private record PendingKill(long response, long threadId) {}

    private final KillRecognizer recognizer;
    private final long capabilities;
    private final Deque<PendingKill> pending = new ArrayDeque<>();

    KillWatch(KillRecognizer recognizer, long capabilities) {
        this.recognizer = recognizer;
        this.capabilities = capabilities;
    }

    /**
     * A command is sent to the server.
     *
     * @param response the number of its response; -1 for none
     */
    void sent(byte[] payload, int code, long response) {
        OptionalLong killed = killed(payload, code);
        if (killed.isPresent() && response >= 0) {
            pending.add(new PendingKill(response, killed.getAsLong()));
        }
    }

    private OptionalLong killed(byte[] payload, int code) {
        if (code == CommandCode.PROCESS_KILL) {
            try {
                PayloadReader in = new PayloadReader(payload);
                in.skip(1);
                return OptionalLong.of(in.int4());
            } catch (ProtocolException e) {
                return OptionalLong.empty();
            }
        }
        int offset = code == CommandCode.QUERY ? QueryText.offset(payload, capabilities) : -1;
        return offset < 0 ? OptionalLong.empty() : recognizer.killedThread(payload, offset, payload.length - offset);
    }

    /**
     * A response has ended.
     *
     * @param response its number
     * @param last its last packet
     * @return the thread that it killed
     */
    OptionalLong ended(long response, PacketRole last) {
        PendingKill kill = pending.peek();
        if (kill == null || kill.response() != response) {
            return OptionalLong.empty();
        }
        pending.remove();
        return last == PacketRole.OK ? OptionalLong.of(kill.threadId()) : OptionalLong.empty();
    }
}
