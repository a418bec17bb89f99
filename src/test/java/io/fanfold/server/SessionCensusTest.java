package io.fanfold.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.session.channel.SessionUse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SessionCensusTest {
    @Test
    void itsTextNamesEachUseInTheSameOrder() throws InterruptedException {
        assertThat(SessionCensus.of(List.of())).hasToString("no clients");
        assertThat(new SessionCensus(Map.of(SessionUse.FAN_OUT, 1))).hasToString("1 client: 1 with a fan-out");
        SessionCensus several =
                new SessionCensus(Map.of(SessionUse.TRANSACTION, 1, SessionUse.IDLE, 20, SessionUse.STATEMENT, 3));
        assertThat(several).hasToString("24 clients: 20 idle, 3 with a running statement, 1 in a transaction");
        assertThat(several.total()).isEqualTo(24);
    }
}
