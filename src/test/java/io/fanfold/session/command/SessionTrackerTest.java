package io.fanfold.session.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.wire.Capability;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SessionTrackerTest {
    private static SessionTracker tracking(ServerFlavor flavor, String... texts) {
        SessionTracker tracking = new SessionTracker(Capability.SESSION_TRACK, flavor);
        for (String text : texts) {
            tracking.sent(command(text), CommandCode.QUERY);
        }
        return tracking;
    }

    private static byte[] command(String text) {
        return ("\u0003" + text).getBytes(StandardCharsets.ISO_8859_1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET session_track_transaction_info = STATE",
                "set @@session.session_track_transaction_info='Characteristics'",
                "SET autocommit = 1, SESSION session_track_transaction_info:=1",
                "SET `session_track_transaction_info` = \"state\""
            })
    void bothServersReportTransactions(String text) {
        assertThat(tracking(ServerFlavor.MYSQL, text).reportsEach()).isTrue();
        assertThat(tracking(ServerFlavor.MARIADB, text).reportsEach()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET session_track_gtids = ALL_GTIDS",
                "SET session_track_gtids = 2",
                "SET session_track_system_variables = '*'",
                "SET session_track_system_variables = 'sql_mode, Statement_Id'"
            })
    void someVariablesReportEachStatementOnMySqlOnly(String text) {
        assertThat(tracking(ServerFlavor.MYSQL, text).reportsEach()).isTrue();
        assertThat(tracking(ServerFlavor.MARIADB, text).reportsEach()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET session_track_transaction_info = OFF",
                "SET session_track_transaction_info = 0",
                "SET session_track_gtids = OWN_GTID",
                "SET session_track_system_variables = 'sql_mode, time_zone'",
                "SET session_track_system_variables = ''; SELECT '*'",
                "SET session_track_schema = 1, session_track_state_change = 1",
                "SET GLOBAL session_track_transaction_info = STATE",
                "SET @@global.session_track_transaction_info = STATE",
                "SELECT 'session_track_transaction_info = STATE'",
                "SET",
                ""
            })
    void otherVariablesDoNotReportEachStatement(String text) {
        assertThat(tracking(ServerFlavor.MYSQL, text).reportsEach()).isFalse();
    }

    @Test
    void itEndsWithTheVariableThatBeganIt() {
        SessionTracker tracking = tracking(
                ServerFlavor.MYSQL,
                "SET session_track_transaction_info = STATE",
                "SET session_track_gtids = ALL_GTIDS",
                "SET session_track_transaction_info = OFF");
        assertThat(tracking.reportsEach()).isTrue();
        tracking.sent(command("SET session_track_gtids = OFF"), CommandCode.QUERY);
        assertThat(tracking.reportsEach()).isFalse();
    }

    @Test
    void anAnswerToTheProxyShowsIt() {
        for (byte[] end : List.of(new byte[] {0x1f}, new byte[] {0x11}, command("SET session_track_gtids = OFF"))) {
            SessionTracker tracking = tracking(ServerFlavor.MYSQL);
            tracking.reportedToProxy();
            assertThat(tracking.reportsEach()).isTrue();
            tracking.sent(command("SET sql_mode = ''"), CommandCode.QUERY);
            assertThat(tracking.reportsEach()).isTrue();
            tracking.sent(end, end[0]);
            assertThat(tracking.reportsEach()).isFalse();
        }
    }

    @Test
    void clientsWithoutSessionTrackingGetNoReports() {
        SessionTracker tracking = new SessionTracker(0, ServerFlavor.MYSQL);
        tracking.sent(command("SET session_track_transaction_info = STATE"), CommandCode.QUERY);
        assertThat(tracking.reportsEach()).isFalse();
    }

    /** A search that restarts at each of them would take days. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "session_track_system_variables=",
                "session_track_system_variables='",
                "session_track_transaction_info = ",
                "session_track_gtids :=`",
                "session_track_",
                "            ",
                "session_track_system_variables=a,"
            })
    void longTextsAreScannedOnce(String repeated) {
        String text = "SET " + repeated.repeat((32 << 20) / repeated.length());
        assertThat(tracking(ServerFlavor.MYSQL, text).reportsEach()).isFalse();
        assertThat(tracking(ServerFlavor.MYSQL, text + ", session_track_gtids = 2")
                        .reportsEach())
                .isTrue();
    }

    @Test
    void listsAreTakenForThemselves() {
        assertThat(tracking(
                                ServerFlavor.MYSQL,
                                "SET session_track_system_variables='*'",
                                "SET session_track_system_variables='a', x='*'")
                        .reportsEach())
                .isFalse();
        assertThat(tracking(
                                ServerFlavor.MYSQL,
                                "SET session_track_system_variables='a', session_track_system_variables='*'")
                        .reportsEach())
                .isTrue();
    }
}
