package io.fanfold.session;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.it.support.load.Background;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ServerPacket;
import io.fanfold.wire.ServerStatus;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A proxy that stops. The scripted server answers each command with OK and the status that the command names. */
class DrainPhaseTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    /** Does not answer the text "hang". */
    private static final ScriptedServer.Script STATUSES = client -> {
        ScriptedServer.login(client);
        while (true) {
            byte[] command = client.read().payload();
            String text = new String(command, 1, command.length - 1, US_ASCII);
            if (command[0] == CommandCode.QUERY && !text.equals("hang")) {
                client.write(1, ServerPacket.Ok.encode(ServerPacket.OK, Integer.parseInt(text), 0));
            }
        }
    };

    private static byte[] query(String text) {
        return new PayloadWriter()
                .int1(CommandCode.QUERY)
                .bytes(text.getBytes(US_ASCII))
                .toBytes();
    }

    private static void ask(Wire client, int status) throws Exception {
        client.write(0, query(String.valueOf(status)));
        assertThat(client.read().first()).isEqualTo(ServerPacket.OK);
    }

    private static Future<Boolean> stop(RelayFixture relay, Duration time) {
        return Background.start(() -> {
            relay.proxy().stop(time);
            return true;
        });
    }

    private static ServerPacket.Err error(Wire.Packet packet) throws Exception {
        return ServerPacket.Err.decode(packet.payload());
    }

    @Test
    void autocommitOffAloneIsIdle() throws Exception {
        try (RelayFixture relay = new RelayFixture(STATUSES);
                Wire client = relay.login(0)) {
            ask(client, 0);
            Future<Boolean> stopped = stop(relay, LONG);
            assertThat(client.atEnd()).isTrue();
            client.close();
            assertThat(stopped.get(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void anOpenTransactionGoesOnUntilItEnds() throws Exception {
        try (RelayFixture relay = new RelayFixture(STATUSES);
                Wire idle = relay.login(0);
                Wire client = relay.login(0)) {
            ask(client, ServerStatus.AUTOCOMMIT | ServerStatus.IN_TRANSACTION);
            Future<Boolean> stopped = stop(relay, LONG);
            assertThat(idle.atEnd()).isTrue();
            ask(client, ServerStatus.AUTOCOMMIT | ServerStatus.IN_TRANSACTION);
            ask(client, ServerStatus.AUTOCOMMIT);
            assertThat(client.atEnd()).isTrue();
            client.close();
            idle.close();
            assertThat(stopped.get(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** A driver that reads a long result in portions has no command under way between two of them. */
    @Test
    void anOpenCursorGoesOnUntilItIsReadOrClosed() throws Exception {
        int open = ServerStatus.AUTOCOMMIT | ServerStatus.CURSOR_EXISTS;
        try (RelayFixture relay = new RelayFixture(STATUSES);
                Wire idle = relay.login(0);
                Wire reading = relay.login(0);
                Wire closing = relay.login(0)) {
            ask(reading, open);
            ask(closing, open);
            Future<Boolean> stopped = stop(relay, LONG);
            assertThat(idle.atEnd()).isTrue();
            ask(reading, open);
            ask(reading, open | ServerStatus.LAST_ROW_SENT);
            assertThat(reading.atEnd()).isTrue();
            closing.write(
                    0, new PayloadWriter().int1(CommandCode.STMT_CLOSE).int4(1).toBytes());
            assertThat(closing.atEnd()).isTrue();
            reading.close();
            closing.close();
            idle.close();
            assertThat(stopped.get(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aNewClientIsRefused() throws Exception {
        try (RelayFixture relay = new RelayFixture(STATUSES);
                Wire idle = relay.login(0);
                Wire open = relay.login(0)) {
            ask(open, ServerStatus.IN_TRANSACTION);
            Future<Boolean> stopped = stop(relay, LONG);
            assertThat(idle.atEnd()).isTrue();
            try (Wire late = relay.connect()) {
                Wire.Packet refusal = late.read();
                assertThat(refusal.sequence()).isZero();
                assertThat(error(refusal))
                        .isEqualTo(new ServerPacket.Err(1053, "08S01", "Server shutdown in progress"));
                assertThat(late.atEnd()).isTrue();
            }
            open.close();
            idle.close();
            assertThat(stopped.get(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aClientThatLogsInMayStillAsk() throws Exception {
        try (RelayFixture relay = new RelayFixture(STATUSES);
                Wire idle = relay.login(0);
                Wire early = relay.connect()) {
            early.read();
            Future<Boolean> stopped = stop(relay, LONG);
            assertThat(idle.atEnd()).isTrue();
            early.write(1, RelayFixture.response(RelayFixture.CLIENT));
            assertThat(early.read().first()).isEqualTo(ServerPacket.OK);
            ask(early, ServerStatus.AUTOCOMMIT);
            assertThat(early.atEnd()).isTrue();
            early.close();
            idle.close();
            assertThat(stopped.get(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void afterTheTimeAWaitingClientGetsAnErrorAndOthersNothing() throws Exception {
        try (RelayFixture relay = new RelayFixture(STATUSES);
                Wire waiting = relay.login(0);
                Wire open = relay.login(0);
                Wire early = relay.connect()) {
            early.read();
            waiting.write(0, query("hang"));
            ask(open, ServerStatus.IN_TRANSACTION);
            Future<Boolean> stopped = stop(relay, Duration.ofMillis(300));
            assertThat(error(waiting.read()))
                    .isEqualTo(new ServerPacket.Err(1053, "08S01", "Server shutdown in progress"));
            assertThat(waiting.atEnd()).isTrue();
            assertThat(open.atEnd()).isTrue();
            assertThat(error(early.read()).code()).isEqualTo(1053);
            for (Wire each : new Wire[] {waiting, open, early}) {
                each.close();
            }
            assertThat(stopped.get(20, TimeUnit.SECONDS)).isTrue();
        }
    }
}
