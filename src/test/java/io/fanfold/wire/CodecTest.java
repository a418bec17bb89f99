package io.fanfold.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CodecTest {
    @ParameterizedTest
    @EnumSource
    void compressedBytesAreRestored(Algorithm algorithm) throws Exception {
        Random random = new Random(1);
        try (Codec codec = algorithm.codec()) {
            for (int size : new int[] {1, 50, 1000, 65_536, 1 << 18}) {
                byte[] same = new byte[size + 10];
                Arrays.fill(same, (byte) 'x');
                byte[] mixed = new byte[size + 10];
                random.nextBytes(mixed);
                Arrays.fill(mixed, 0, size / 2, (byte) 1);
                for (byte[] content : new byte[][] {same, mixed}) {
                    byte[] compressed = codec.compress(content, 5, size);
                    if (size >= 1000) {
                        assertThat(compressed).hasSizeLessThan(size * 3 / 4);
                    }
                    if (compressed.length < size) {
                        assertThat(codec.decompress(compressed, 0, compressed.length, size))
                                .isEqualTo(Arrays.copyOfRange(content, 5, 5 + size));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void incompressibleBytesAreNotShorter(Algorithm algorithm) throws Exception {
        byte[] noise = new byte[10_000];
        new Random(2).nextBytes(noise);
        try (Codec codec = algorithm.codec()) {
            assertThat(codec.compress(noise, 0, noise.length)).hasSizeGreaterThanOrEqualTo(noise.length);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anotherLengthThanAnnouncedIsRefused(Algorithm algorithm) throws Exception {
        byte[] content = new byte[1000];
        try (Codec codec = algorithm.codec()) {
            byte[] good = codec.compress(content, 0, content.length);
            byte[] longer = Arrays.copyOf(good, good.length + 3);
            Arrays.fill(longer, good.length, longer.length, (byte) 7);
            refused(codec, good, 999);
            refused(codec, good, 1001);
            refused(codec, longer, 1000);
            refused(codec, Arrays.copyOf(good, good.length - 1), 1000);
            refused(codec, new byte[20], 1000);
            refused(codec, new byte[0], 1000);
            for (int i = 0; i < 8; i++) {
                byte[] damaged = good.clone();
                damaged[i % good.length] ^= 0x55;
                try {
                    assertThat(codec.decompress(damaged, 0, damaged.length, 1000))
                            .hasSize(1000);
                } catch (IOException e) {
                    assertThat(e).hasMessageStartingWith(algorithm == Algorithm.ZLIB ? "zlib: " : "zstd: ");
                }
            }
            assertThat(codec.decompress(good, 0, good.length, 1000)).isEqualTo(content);
        }
    }

    private static void refused(Codec codec, byte[] bytes, int size) {
        assertThatThrownBy(() -> codec.decompress(bytes, 0, bytes.length, size)).isInstanceOf(IOException.class);
    }
}
