package io.fanfold.wire;

import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A recorded conversation: {@code capabilities NAME…}, then one packet a line with its header, {@code client HEX} or
 * {@code server ROLE HEX}.
 *
 * @param lines the packets in order
 */
record WireFixture(String name, long capabilities, List<Line> lines) {
    private static final Map<String, Long> CAPABILITIES = Map.of(
            "deprecate_eof", Capability.DEPRECATE_EOF,
            "optional_metadata", Capability.OPTIONAL_RESULTSET_METADATA,
            "cache_metadata", Capability.MARIADB_CACHE_METADATA,
            "progress", Capability.MARIADB_PROGRESS);

    /** @param role null for a packet of the client */
    record Line(@Nullable PacketRole role, byte[] packet) {
        byte[] payload() {
            return Arrays.copyOfRange(packet, PacketCodec.HEADER, packet.length);
        }
    }

    static Stream<WireFixture> all() {
        try (Stream<Path> files = Files.list(
                Path.of(WireFixture.class.getResource("/wire/ma-progress.hex").toURI())
                        .getParent())) {
            return files.sorted().map(WireFixture::read).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static WireFixture read(Path file) {
        long capabilities = Capability.PROTOCOL_41;
        List<Line> lines = new ArrayList<>();
        try {
            for (String line : Files.readAllLines(file)) {
                String[] words = line.split(" ");
                if (words[0].equals("capabilities")) {
                    for (int i = 1; i < words.length; i++) {
                        capabilities |= Objects.requireNonNull(CAPABILITIES.get(words[i]), words[i]);
                    }
                } else if (words[0].equals("client")) {
                    lines.add(new Line(null, bytes(words, 1)));
                } else if (words[0].equals("server")) {
                    lines.add(new Line(PacketRole.valueOf(words[1]), bytes(words, 2)));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new WireFixture(file.getFileName().toString(), capabilities, List.copyOf(lines));
    }

    private static byte[] bytes(String[] words, int from) {
        return ByteBufUtil.decodeHexDump(String.join("", List.of(words).subList(from, words.length)));
    }

    /** Whether the line at this index is the server's last one before the client's turn. */
    boolean lastOfResponse(int index) {
        return index + 1 == lines.size() || lines.get(index + 1).role() == null;
    }

    @Override
    public String toString() {
        return name;
    }
}
