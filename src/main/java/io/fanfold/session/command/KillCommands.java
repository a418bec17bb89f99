package io.fanfold.session.command;

import io.fanfold.session.channel.QueryText;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PayloadReader;
import io.fanfold.wire.ProtocolException;
import java.util.OptionalLong;

/** Recognises commands that kill a thread. Event loop only. */
final class KillCommands {
    private final KillRecognizer recognizer;
    private final long capabilities;

    KillCommands(KillRecognizer recognizer, long capabilities) {
        this.recognizer = recognizer;
        this.capabilities = capabilities;
    }

    /** Returns the thread that a command kills if the server answers it with OK. */
    OptionalLong killed(byte[] payload, int code) {
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
}
