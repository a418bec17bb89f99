package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RecentRefusalsTest {
    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static RecentRefusals.RefusedText refused(Reason reason) {
        return new RecentRefusals.RefusedText(reason, "SELECT ?");
    }

    @Test
    void aTextIsFoundInsideALargerArray() {
        RecentRefusals refusals = new RecentRefusals();
        refusals.rememberText(bytes("SELECT 1"), refused(Reason.NO_SHAPE));
        byte[] packet = bytes("\u0003SELECT 1;");
        assertThat(refusals.byText(packet, 1, 8, "")).contains(refused(Reason.NO_SHAPE));
        assertThat(refusals.byText(packet, 1, 9, "")).isEmpty();
        assertThat(refusals.byText(packet, 0, 8, "")).isEmpty();
    }

    @Test
    void theRememberedTextIsACopy() {
        RecentRefusals refusals = new RecentRefusals();
        byte[] sql = bytes("SELECT 1");
        refusals.rememberText(sql, refused(Reason.HINT));
        sql[7] = '2';
        assertThat(refusals.byText(bytes("SELECT 1"), 0, 8, "")).contains(refused(Reason.HINT));
        assertThat(refusals.byText(sql, 0, 8, "")).isEmpty();
    }

    @Test
    void textsAndDigestsAreApartAndForgottenTogether() {
        RecentRefusals refusals = new RecentRefusals();
        refusals.rememberText(bytes("a"), refused(Reason.HINT));
        refusals.rememberForNow(bytes("c"), "", "b", refused(Reason.FEW_ROWS));
        assertThat(refusals.byDigest("a")).isEmpty();
        assertThat(refusals.byText(bytes("b"), 0, 1, "")).isEmpty();
        assertThat(refusals.byText(bytes("c"), 0, 1, "")).contains(refused(Reason.FEW_ROWS));
        assertThat(refusals.byDigest("b")).contains(Reason.FEW_ROWS);
        refusals.clear();
        assertThat(refusals.byDigest("b")).isEmpty();
        assertThat(refusals.byText(bytes("a"), 0, 1, "")).isEmpty();
        assertThat(refusals.byText(bytes("c"), 0, 1, "")).isEmpty();
    }

    /** In another schema the same text reads other tables. */
    @Test
    void temporaryRefusalsApplyInTheirSchemaOnly() {
        RecentRefusals refusals = new RecentRefusals();
        refusals.rememberForNow(bytes("SELECT 1"), "shop", Digest.of("shop", "SELECT 1"), refused(Reason.FEW_ROWS));
        assertThat(refusals.byText(bytes("SELECT 1"), 0, 8, "shop")).contains(refused(Reason.FEW_ROWS));
        assertThat(refusals.byText(bytes("SELECT 1"), 0, 8, "stock")).isEmpty();
        assertThat(refusals.byText(bytes("SELECT 1"), 0, 8, null)).isEmpty();
        assertThat(refusals.byDigest(Digest.of("shop", "SELECT 2"))).contains(Reason.FEW_ROWS);
        assertThat(refusals.byDigest(Digest.of("stock", "SELECT 2"))).isEmpty();
    }
}
