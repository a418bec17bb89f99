package io.fanfold.session.handshake;

import io.fanfold.session.channel.PlainCause;
import io.fanfold.session.channel.SessionControl;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ProxyHeader;
import io.fanfold.wire.ProxyHeaderReader;
import io.fanfold.wire.ProxyHeaderReader.HeaderResult;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.ByteToMessageDecoder;
import org.jspecify.annotations.Nullable;

/**
 * A client's first handler, which decides whether its first bytes are a PROXY protocol header. A header from an
 * untrusted peer is refused and never relayed, since the server might believe it.
 */
public final class ProxyHeaderHandler extends ChannelInboundHandlerAdapter {
    private final SessionControl session;
    private final boolean trusted;
    private @Nullable ByteBuf start;

    /** @param trusted whether a header from this peer is accepted */
    public ProxyHeaderHandler(SessionControl session, boolean trusted) {
        this.session = session;
        this.trusted = trusted;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        ByteBuf all =
                start == null ? bytes : ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(context.alloc(), start, bytes);
        start = all;
        try {
            HeaderResult found = ProxyHeaderReader.find(all);
            if (found instanceof HeaderResult.Absent) {
                passOn(context);
            } else if (!trusted && !(found instanceof HeaderResult.Undecided)) {
                session.refuseHeader(
                        "this address may not send a PROXY protocol header (see listener.proxy-protocol-networks)");
            } else if (found instanceof HeaderResult.CompleteHeader complete) {
                all.skipBytes(complete.length());
                taken(complete.header());
                passOn(context);
            }
        } catch (ProtocolException e) {
            session.refuseHeader("the PROXY protocol header is malformed: " + PlainCause.text(e));
        }
    }

    private void taken(ProxyHeader header) {
        if (header instanceof ProxyHeader.Client client) {
            session.proxied(client);
        }
    }

    private void passOn(ChannelHandlerContext context) {
        session.connect();
        ByteBuf rest = start;
        start = null;
        if (rest != null && rest.isReadable()) {
            context.fireChannelRead(rest);
        } else if (rest != null) {
            rest.release();
        }
        if (!context.isRemoved()) {
            context.pipeline().remove(this);
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        if (start != null) {
            start.release();
            start = null;
        }
    }
}
