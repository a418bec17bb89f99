package io.fanfold.session.prepared;

import io.fanfold.wire.CommandExchange;
import io.fanfold.wire.PacketPrefix;
import io.fanfold.wire.PacketRole;
import io.fanfold.wire.PayloadReader;
import io.fanfold.wire.ProtocolException;

/**
 * An execution that the server has not answered.
 *
 * @param afterSplit whether an execution before it was split and the server has received none in between
 * @param cached whether executions omit definitions that the client has
 */
record RunningExecution(KnownStatement statement, boolean afterSplit, boolean cached)
        implements CommandExchange.Observer {
    @Override
    public void packet(PacketRole role, PacketPrefix packet, boolean last) {
        if (role == PacketRole.ERROR && afterSplit) {
            statement.failedAfterSplit();
        } else if (role == PacketRole.COLUMN && cached
                || role == PacketRole.COLUMN_COUNT && count(packet) != statement.text.columns()) {
            // the client knows other columns now, and the server reports later changes against them; where
            // definitions are omitted, any definition shows such a change
            statement.onlyRelayed = true;
        }
    }

    private static long count(PacketPrefix packet) {
        try {
            return new PayloadReader(packet.copy()).lenencInt();
        } catch (ProtocolException e) {
            return -1;
        }
    }
}
