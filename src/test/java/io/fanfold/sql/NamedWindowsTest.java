package io.fanfold.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.reason.RefusedException;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamedWindowsTest {
    private static final SqlDialect MYSQL = new SqlDialect(ServerFlavor.MYSQL, false, false, StandardCharsets.UTF_8);

    private static String inlined(String sql) throws RefusedException {
        return NamedWindows.inlined(MySqlLexer.lex(sql, MYSQL)).orElse("no window");
    }

    @Test
    void windowsReplaceTheirNames() throws RefusedException {
        assertThat(inlined("select f() over w, g() over `W` from t window w as (order by /* x */ a -- y\n) order by 1"))
                .isEqualTo("select f() over (order by /* x */ a), g() over (order by /* x */ a) from t   order by 1");
        assertThat(inlined("select f() over v, g() over w from t window v as (), w as (partition by (b), c)"))
                .isEqualTo("select f() over (), g() over (partition by (b), c) from t  ");
        assertThat(inlined("select a from t window w as (rows unbounded preceding)"))
                .isEqualTo("select a from t  ");
    }

    /** A window is visible only in its own query, and may have the same name as a window of another query. */
    @Test
    void everyQueryHasItsOwn() throws RefusedException {
        assertThat(inlined("select f() over w from (select g() over w from t window w as (order by a)) x"
                        + " window w as (order by b)"))
                .isEqualTo("select f() over (order by b) from (select g() over (order by a) from t  ) x  ");
        assertThat(inlined("(select f() over w from t window w as (order by a)) union all"
                        + " select f() over w from t window w as (order by b) union select f() over w from t"
                        + " window w as (order by c) order by 1"))
                .isEqualTo("(select f() over (order by a) from t  ) union all"
                        + " select f() over (order by b) from t   union select f() over (order by c) from t"
                        + "   order by 1");
    }

    @Test
    void windowsMayBeBasedOnOthers() throws RefusedException {
        assertThat(inlined("select f() over (w) from t window w as (order by a)"))
                .isEqualTo("select f() over (order by a) from t  ");
        assertThat(inlined("select f() over (`w` order by (b) rows 1 preceding), g() over v, h() over (order by w)"
                        + " from t window w as (partition by a), v as (w ORDER BY c)"))
                .isEqualTo("select f() over (partition by a order by (b) rows 1 preceding),"
                        + " g() over (partition by a ORDER BY c), h() over (order by w) from t  ");
        assertThat(inlined("select f() over u from t window u as (v rows 2 preceding), v as (w order by x), w as ()"))
                .isEqualTo("select f() over (order by x rows 2 preceding) from t  ");
        // the words of a subquery do not belong to the window
        assertThat(inlined("select f() over (w order by a) from t"
                        + " window w as (partition by (select 1 from u order by rows limit 1))"))
                .isEqualTo(
                        "select f() over (partition by (select 1 from u order by rows limit 1) order by a) from t  ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select f() over w from t window v as (order by a)",
                "select f() over (v) from t window w as (order by a)",
                "select f() over (v order by b) from t window v as (order by a)",
                "select f() over (v order by b) from t window v as (w), w as (order by a)",
                "select f() over (v partition by b) from t window v as (order by a)",
                "select f() over (v) from t window v as (order by a rows 1 preceding)",
                "select f() over v from t window v as (w), w as (range unbounded preceding)",
                "select f() over w from t window w as (order by a), v as (w order by b)",
                "select f() over v from t window w as (v), v as (w)",
                "select f() over v from t window v as (v)",
                "select f() over (v order by a) from t window v as (v)",
                "select f() over w from t window w as (order by a), W as (order by b)",
                "select f() over w from (select g() over w from t) x window w as (order by b)",
                "select (select f() over w from d) from t window w as (order by b)",
                "select f() over w from t union select a from t window w as (order by b)"
            })
    void othersAreRefused(String sql) {
        assertThatThrownBy(() -> inlined(sql)).isInstanceOf(RefusedException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select a window from t",
                "select f() over (order by a) from t",
                "select window w as from t",
                "select `window` w, 'window w as (' from t",
                "select a from t window",
                "select f() over w from t"
            })
    void nothingElseIsAWindowClause(String sql) throws RefusedException {
        assertThat(inlined(sql)).isEqualTo("no window");
    }
}
