package io.fanfold.it.support.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A client whose statements are killed in the middle, or that disconnects then. Its answers are right, or there is
 * none.
 */
public final class Victim implements AutoCloseable {
    private static final List<String> STATEMENTS =
            List.of(SlowTables.ENDLESS, SlowTables.ENDLESS_FINISH, SlowTables.LONG, SlowTables.SHORT, SlowTables.SHORT);
    private static final Map<String, String> ANSWERS =
            Map.of(SlowTables.LONG, "[" + SlowTables.LONG_SUM + "]", SlowTables.SHORT, SlowTables.SHORT_ANSWER);

    private final ProxiedServer proxy;
    private final Random random;
    private final Storm storm;
    private final WireConnection killer;
    private WireConnection client;

    public Victim(ProxiedServer proxy, Random random, Storm storm) throws Exception {
        this.proxy = proxy;
        this.random = random;
        this.storm = storm;
        this.killer = proxy.proxied();
        this.client = proxy.proxied();
    }

    public void turn() throws Exception {
        String statement = STATEMENTS.get(random.nextInt(STATEMENTS.size()));
        boolean stays = random.nextInt(4) > 0;
        Future<Reply> reply = Background.ask(client, statement);
        TimeUnit.MILLISECONDS.sleep(random.nextInt(60));
        if (stays) {
            outlived(reply, statement);
            // neither server applies a late kill to the next statement
            assertThat(client.query(SlowTables.SHORT).rows()).as("after a kill").hasToString(SlowTables.SHORT_ANSWER);
            return;
        }
        if (random.nextBoolean()) {
            client.abort();
        } else {
            killer.pipeline(List.of("KILL " + client.threadId()));
        }
        left(reply, statement);
        client.close();
        // a statement that passed through runs on without its client, as on the server
        killer.pipeline(List.of("KILL " + client.threadId()));
        client = proxy.proxied();
    }

    /** Kills repeatedly: a kill may arrive before the statement has begun. */
    private void outlived(Future<Reply> reply, String statement) throws Exception {
        for (int i = 0; i < 400; i++) {
            kill(killer, client.threadId());
            try {
                Reply answered = reply.get(50, TimeUnit.MILLISECONDS);
                if (answered instanceof Reply.Result result) {
                    assertThat(result.rows().toString()).as("%s", statement).isEqualTo(ANSWERS.get(statement));
                    storm.count("right");
                } else {
                    assertThat(((Reply.Failed) answered).errno()).isEqualTo(1317);
                    storm.count("interrupted");
                }
                return;
            } catch (TimeoutException e) {
                storm.count("killed again");
            }
        }
        throw new AssertionError("a statement outlived 400 kills");
    }

    private void left(Future<Reply> reply, String statement) throws Exception {
        try {
            Reply answered = reply.get(20, TimeUnit.SECONDS);
            if (answered instanceof Reply.Result result) {
                assertThat(result.rows().toString()).as("%s", statement).isEqualTo(ANSWERS.get(statement));
            }
            storm.count("left");
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(IOException.class);
            storm.count("left");
        }
    }

    @Override
    public void close() {
        client.close();
        killer.close();
    }

    /** Kills a connection or its statement, which may already have ended. */
    public static void kill(WireConnection killer, long id) throws IOException {
        Reply reply = killer.pipeline(List.of("KILL QUERY " + id)).get(0);
        assertThat(reply instanceof Reply.Completed || ((Reply.Failed) reply).errno() == 1094)
                .as("%s", reply)
                .isTrue();
    }
}
