package io.fanfold.client;

import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * Signs as MariaDB's {@code ed25519} plugin requires: the private key is a password of any length, while RFC 8032
 * allows 32 bytes only. Otherwise it follows RFC 8032, section 5.1. Not in constant time: it signs one login on the
 * proxy's own machine.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc8032#section-5.1">RFC 8032</a>
 */
final class Ed25519Signature {
    private static final BigInteger TWO = BigInteger.TWO;
    private static final BigInteger P = TWO.pow(255).subtract(BigInteger.valueOf(19));
    private static final BigInteger ORDER = TWO.pow(252).add(new BigInteger("27742317777372353535851937790883648493"));
    private static final BigInteger D = BigInteger.valueOf(-121665)
            .multiply(BigInteger.valueOf(121666).modInverse(P))
            .mod(P);
    private static final Point BASE = base();

    private Ed25519Signature() {}

    /** Returns the 64-byte signature of a message under the key derived from the secret. */
    static byte[] sign(byte[] secret, byte[] message) {
        byte[] expanded = sha512(secret);
        BigInteger scalar = scalar(expanded);
        byte[] publicKey = BASE.times(scalar).encode();
        byte[] prefix = Arrays.copyOfRange(expanded, 32, 64);
        BigInteger r = littleEndian(sha512(prefix, message)).mod(ORDER);
        byte[] commitment = BASE.times(r).encode();
        BigInteger challenge =
                littleEndian(sha512(commitment, publicKey, message)).mod(ORDER);
        BigInteger s = challenge.multiply(scalar).add(r).mod(ORDER);
        byte[] signature = Arrays.copyOf(commitment, 64);
        System.arraycopy(littleEndian(s), 0, signature, 32, 32);
        return signature;
    }

    /** Returns the 32-byte public key of a secret. */
    static byte[] publicKey(byte[] secret) {
        return BASE.times(scalar(sha512(secret))).encode();
    }

    private static BigInteger scalar(byte[] expanded) {
        byte[] low = Arrays.copyOf(expanded, 32);
        low[0] &= (byte) 0xf8;
        low[31] &= 0x3f;
        low[31] |= 0x40;
        return littleEndian(low);
    }

    private static BigInteger littleEndian(byte[] bytes) {
        return new BigInteger(1, reversed(bytes));
    }

    private static byte[] littleEndian(BigInteger value) {
        byte[] big = value.toByteArray();
        byte[] little = new byte[32];
        for (int i = 0; i < Math.min(32, big.length); i++) {
            little[i] = big[big.length - 1 - i];
        }
        return little;
    }

    private static byte[] reversed(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return reversed;
    }

    private static byte[] sha512(byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-512");
            for (byte[] part : parts) {
                digest.update(part);
            }
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime lacks SHA-512", e);
        }
    }

    private static Point base() {
        BigInteger y = BigInteger.valueOf(4)
                .multiply(BigInteger.valueOf(5).modInverse(P))
                .mod(P);
        BigInteger ySquared = y.multiply(y).mod(P);
        BigInteger xSquared = ySquared.subtract(BigInteger.ONE)
                .multiply(D.multiply(ySquared).add(BigInteger.ONE).modInverse(P))
                .mod(P);
        BigInteger x = xSquared.modPow(P.add(BigInteger.valueOf(3)).shiftRight(3), P);
        if (!x.multiply(x).mod(P).equals(xSquared)) {
            x = x.multiply(TWO.modPow(P.subtract(BigInteger.ONE).shiftRight(2), P))
                    .mod(P);
        }
        if (x.testBit(0)) {
            x = P.subtract(x);
        }
        return new Point(x, y, BigInteger.ONE, x.multiply(y).mod(P));
    }

    /** A point in extended homogeneous coordinates: x = X/Z, y = Y/Z, xÂ·y = T/Z. */
    private record Point(BigInteger x, BigInteger y, BigInteger z, BigInteger t) {
        private static final Point NEUTRAL =
                new Point(BigInteger.ZERO, BigInteger.ONE, BigInteger.ONE, BigInteger.ZERO);

        /** Adds points as in RFC 8032, section 5.1.4; the formula works for doubling too. */
        Point plus(Point other) {
            BigInteger a = y.subtract(x).multiply(other.y.subtract(other.x)).mod(P);
            BigInteger b = y.add(x).multiply(other.y.add(other.x)).mod(P);
            BigInteger c = t.multiply(TWO).multiply(D).multiply(other.t).mod(P);
            BigInteger d = z.multiply(TWO).multiply(other.z).mod(P);
            BigInteger e = b.subtract(a);
            BigInteger f = d.subtract(c);
            BigInteger g = d.add(c);
            BigInteger h = b.add(a);
            return new Point(
                    e.multiply(f).mod(P),
                    g.multiply(h).mod(P),
                    f.multiply(g).mod(P),
                    e.multiply(h).mod(P));
        }

        Point times(BigInteger scalar) {
            Point result = NEUTRAL;
            for (int bit = scalar.bitLength() - 1; bit >= 0; bit--) {
                result = result.plus(result);
                if (scalar.testBit(bit)) {
                    result = result.plus(this);
                }
            }
            return result;
        }

        byte[] encode() {
            BigInteger inverse = z.modInverse(P);
            BigInteger affineX = x.multiply(inverse).mod(P);
            byte[] encoded = littleEndian(y.multiply(inverse).mod(P));
            if (affineX.testBit(0)) {
                encoded[31] |= (byte) 0x80;
            }
            return encoded;
        }
    }
}
