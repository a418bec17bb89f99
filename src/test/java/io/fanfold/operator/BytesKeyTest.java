package io.fanfold.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A key tells where it ends, whatever its length and whatever follows it. */
class BytesKeyTest {
    private static final int LONGEST = 40;
    private static final int BEFORE = 3;

    private final Random random = new Random(11);

    /** Bytes of which many are the markers of {@link BytesKey}. */
    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) random.nextInt(12);
        }
        return bytes;
    }

    /** Returns a buffer that a key can be written to after {@link #BEFORE} other bytes. */
    private KeyBuffer begun() throws MergeException {
        KeyBuffer buffer = new KeyBuffer();
        buffer.put(bytes(BEFORE), 0, BEFORE);
        return buffer;
    }

    /** Returns the key followed by other bytes. */
    private byte[] followed(KeyBuffer buffer) {
        byte[] key = Arrays.copyOf(buffer.bytes(), buffer.length() + LONGEST);
        System.arraycopy(bytes(LONGEST), 0, key, buffer.length(), LONGEST);
        return key;
    }

    @Test
    void findsTheEndOfEachLength() throws Exception {
        for (int length = 0; length <= LONGEST; length++) {
            KeyBuffer buffer = begun();
            BytesKey.write(bytes(length), 0, length, buffer);
            assertThat(BytesKey.end(followed(buffer), BEFORE))
                    .as("%d bytes", length)
                    .isEqualTo(buffer.length());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 8, 10})
    void findsTheEndOfEachPaddedLength(int padBytes) throws Exception {
        byte[] pad = bytes(padBytes);
        for (int units = 0; units <= LONGEST; units++) {
            byte[] weight = bytes(units * padBytes);
            // blanks at the end and in the middle have markers of their own
            for (int unit = 0; unit < units; unit++) {
                if (random.nextInt(3) == 0) {
                    System.arraycopy(pad, 0, weight, unit * padBytes, padBytes);
                }
            }
            KeyBuffer buffer = begun();
            BytesKey.writePadded(weight, 0, weight.length, pad, buffer);
            assertThat(BytesKey.paddedEnd(followed(buffer), BEFORE, pad))
                    .as("%d units of %d bytes", units, padBytes)
                    .isEqualTo(buffer.length());
        }
    }
}
