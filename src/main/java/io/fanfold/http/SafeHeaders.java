package io.fanfold.http;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;

/** Adds the headers that keep a browser from guessing, storing and running, to every answer that lacks them. */
@ChannelHandler.Sharable
final class SafeHeaders extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) throws Exception {
        if (message instanceof HttpResponse response) {
            HttpHeaders headers = response.headers();
            add(headers, "X-Content-Type-Options", "nosniff");
            add(headers, HttpHeaderNames.CACHE_CONTROL, "no-store");
            add(headers, HttpHeaderNames.CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'");
            add(headers, "Referrer-Policy", "no-referrer");
        }
        super.write(ctx, message, promise);
    }

    private static void add(HttpHeaders headers, CharSequence name, String value) {
        if (!headers.contains(name)) {
            headers.set(name, value);
        }
    }
}
