package io.fanfold.config;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An IPv4 or IPv6 network: all addresses with a common prefix. IPv4 addresses written as IPv6 ({@code ::ffff:10.0.0.1})
 * are IPv4. Immutable.
 *
 * @param address one of its addresses
 * @param bits the prefix length: 0..32 for IPv4, 0..128 for IPv6
 */
public record Network(InetAddress address, int bits) {
    private static final Pattern TEXT = Pattern.compile("([0-9.]+|[0-9A-Fa-f:]+:[0-9A-Fa-f:.]*)(?:/([0-9]{1,3}))?");
    private static final int MAPPED_BITS = 96;

    public Network {
        if (bits < 0 || bits > address.getAddress().length * Byte.SIZE) {
            throw new IllegalArgumentException(bits + " bits of " + address.getHostAddress());
        }
    }

    /** Parses an address, or an address with a slash and prefix length; empty if the text is neither. */
    public static Optional<Network> parse(String text) {
        Matcher parts = TEXT.matcher(text);
        byte[] bytes = parts.matches() ? NetUtil.createByteArrayFromIpAddressString(parts.group(1)) : null;
        if (bytes == null) {
            return Optional.empty();
        }
        try {
            // returns an IPv4 address for a mapped one
            InetAddress address = InetAddress.getByAddress(bytes);
            int most = bytes.length * Byte.SIZE;
            int bits = parts.group(2) == null ? most : Integer.parseInt(parts.group(2));
            int mapped = address.getAddress().length < bytes.length ? MAPPED_BITS : 0;
            return bits < mapped || bits > most ? Optional.empty() : Optional.of(new Network(address, bits - mapped));
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    public boolean contains(InetAddress other) {
        byte[] own = address.getAddress();
        byte[] others = other.getAddress();
        if (own.length != others.length) {
            return false;
        }
        int whole = bits / Byte.SIZE;
        for (int i = 0; i < whole; i++) {
            if (own[i] != others[i]) {
                return false;
            }
        }
        int rest = bits % Byte.SIZE;
        return rest == 0 || ((own[whole] ^ others[whole]) & 0xff) >>> Byte.SIZE - rest == 0;
    }

    @Override
    public String toString() {
        return address.getHostAddress() + "/" + bits;
    }
}
