package io.fanfold.session.channel;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.wire.Algorithm;
import io.fanfold.wire.Capability;
import io.fanfold.wire.ServerPacket;
import org.jspecify.annotations.Nullable;

/**
 * The compression of sessions on both sides, see the settings with these names. Immutable.
 *
 * @param listener towards clients
 * @param backend towards the server
 */
public record SessionCompression(ListenerConfig.ClientCompression listener, BackendConfig.ServerCompression backend) {
    public static final long ALL = Capability.COMPRESS | Capability.ZSTD_COMPRESSION;

    /** Capabilities that the proxy decides itself towards the client, independent of the server's. */
    public static final long OWN_OFFERS = Capability.SSL | ALL;

    public static SessionCompression of(FanfoldConfig config) {
        return new SessionCompression(
                config.listener().compression(), config.backend().compression());
    }

    /** The capabilities offered to clients. */
    public long offered(ServerPacket.Greeting greeting) {
        if (listener == ListenerConfig.ClientCompression.OFF) {
            return 0;
        }
        // MariaDB's clients do not support zstd
        return greeting.flavor().isMariaDb() ? Capability.COMPRESS : ALL;
    }

    /** The algorithm of a connection; null for none. If a client supports both, zlib is used, as servers do. */
    static @Nullable public Algorithm chosen(long capabilities) {
        if (Capability.has(capabilities, Capability.COMPRESS)) {
            return Algorithm.ZLIB;
        }
        return Capability.has(capabilities, Capability.ZSTD_COMPRESSION) ? Algorithm.ZSTD : null;
    }

    /** The capability that the server is asked for; 0 for none. */
    public long wantedOfServer(@Nullable Algorithm client, long serverCapabilities) {
        Algorithm wanted = switch (backend) {
            case OFF -> null;
            case AS_CLIENT -> client;
            case ZLIB -> Algorithm.ZLIB;
            case ZSTD -> Algorithm.ZSTD;
        };
        if (wanted == null) {
            return 0;
        }
        return serverCapabilities & (wanted == Algorithm.ZLIB ? Capability.COMPRESS : Capability.ZSTD_COMPRESSION);
    }
}
