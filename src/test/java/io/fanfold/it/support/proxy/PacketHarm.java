package io.fanfold.it.support.proxy;

import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/** Follows the packets in one direction of a connection, and damages one of them. Safe for two threads. */
final class PacketHarm {
    private static final int HEADER = 4;

    private final Runnable befallen;
    private final ByteArrayOutputStream held = new ByteArrayOutputStream();
    private @Nullable PacketDamage damage;
    private int ahead;
    private int inHeader;
    private int left;
    private boolean holding;

    /** @param befallen runs when a packet is damaged */
    PacketHarm(Runnable befallen) {
        this.befallen = befallen;
    }

    /** Damages the packet after the given number of packets. */
    synchronized void harm(PacketDamage how, int after) {
        damage = how;
        ahead = after;
    }

    /** Damages no packet, unless one has begun. */
    synchronized void spare() {
        if (!holding) {
            damage = null;
        }
    }

    /** Returns the bytes to forward for those that arrived. */
    synchronized byte[] pass(byte[] bytes, int length) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(length);
        for (int at = 0; at < length; at++) {
            if (inHeader == 0 && left == 0) {
                holding = damage != null && ahead-- == 0;
            }
            if (inHeader < HEADER) {
                left |= inHeader < 3 ? (bytes[at] & 0xff) << 8 * inHeader : 0;
                inHeader++;
            } else {
                left--;
            }
            (holding ? held : out).write(bytes[at]);
            if (inHeader == HEADER && left == 0) {
                inHeader = 0;
                end(out);
            }
        }
        return out.toByteArray();
    }

    private void end(ByteArrayOutputStream out) {
        PacketDamage how = damage;
        if (holding && how != null) {
            out.writeBytes(how.of(held.toByteArray()));
            held.reset();
            holding = false;
            damage = null;
            befallen.run();
        }
    }
}
