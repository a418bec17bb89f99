package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ExecutionHistoryTest {
    private static final long MILLI = 1_000_000;
    private final AtomicLong clock = new AtomicLong();
    private final ExecutionHistory history = new ExecutionHistory(clock::get);

    @Test
    void knowsNothingAtFirst() {
        assertThat(history.directUnknown("q")).isTrue();
        assertThat(history.prefersDirect("q")).isFalse();
        assertThat(history.shouldTryDirect("q", 0, 0, false)).isFalse();
        assertThat(history.worthATry("q", 0)).isFalse();
    }

    @Test
    void prefersTheFasterWayOnceBothAreKnown() {
        history.split("q", 40 * MILLI);
        assertThat(history.prefersDirect("q")).isFalse();
        history.direct("q", 20 * MILLI);
        assertThat(history.prefersDirect("q")).isTrue();
        history.split("q", 10 * MILLI);
        assertThat(history.prefersDirect("q"))
                .as("the better of two splits counts")
                .isFalse();
        history.split("q", 90 * MILLI);
        assertThat(history.prefersDirect("q")).isFalse();
        history.direct("q", 5 * MILLI);
        assertThat(history.prefersDirect("q"))
                .as("the better of two direct times counts")
                .isTrue();
        history.direct("q", 50 * MILLI);
        assertThat(history.prefersDirect("q")).isTrue();
    }

    /** The first split may have read the rows from disk, or have been run by a process that had just started. */
    @Test
    void aSplitThatWasNotMuchSlowerIsRunASecondTime() {
        history.splitBegins("q");
        history.split("q", 39 * MILLI);
        assertThat(history.limitsSplit("q"))
                .as("no time without a split is known")
                .isFalse();
        history.direct("q", 20 * MILLI);
        assertThat(history.prefersDirect("q")).isFalse();
        assertThat(history.shouldTryDirect("q", 0, 0, false)).isFalse();
        assertThat(history.limitsSplit("q")).isTrue();
        history.splitBegins("q");
        assertThat(history.prefersDirect("q"))
                .as("it is not run a third time, also if the second does not end")
                .isTrue();
        history.split("q", 19 * MILLI);
        assertThat(history.prefersDirect("q")).isFalse();
        assertThat(history.limitsSplit("q")).as("it is known to be faster").isFalse();
    }

    @Test
    void aSplitThatWasMuchSlowerIsNotRunASecondTime() {
        history.split("q", 40 * MILLI);
        history.direct("q", 20 * MILLI);
        assertThat(history.prefersDirect("q")).isTrue();
        assertThat(history.limitsSplit("q")).as("of a client that asked before").isTrue();
        history.reused("q", 5 * MILLI);
        assertThat(history.limitsSplit("q")).as("with known rows it is faster").isFalse();
    }

    /** As with clients that begin at the same time. */
    @Test
    void twoFirstSplitsAreNoSecondOne() {
        for (int splits = 0; splits < 2; splits++) {
            history.splitBegins("q");
            history.split("q", 30 * MILLI);
        }
        history.direct("q", 30 * MILLI);
        assertThat(history.prefersDirect("q")).isFalse();
    }

    /** The split without known rows is slower than direct, the one with known rows is faster. */
    @Test
    void aSplitThatKeptRowsIsRunAgainAndComparedWithItsKnownRows() {
        history.direct("q", 20 * MILLI);
        history.split("q", 30 * MILLI);
        history.readAll("q", true);
        assertThat(history.prefersDirect("q")).as("it may have known rows now").isFalse();
        history.reused("q", 5 * MILLI);
        assertThat(history.prefersDirect("q")).isFalse();
        history.reused("q", 25 * MILLI);
        assertThat(history.prefersDirect("q")).as("the last time counts").isTrue();
    }

    @Test
    void aTableThatChangesAllTheTimeGetsOneTry() {
        history.direct("q", 20 * MILLI);
        history.split("q", 30 * MILLI);
        history.readAll("q", true);
        history.splitBegins("q");
        history.split("q", 30 * MILLI);
        history.readAll("q", true);
        assertThat(history.prefersDirect("q")).isTrue();
        history.reused("q", 5 * MILLI);
        history.readAll("q", true);
        assertThat(history.prefersDirect("q"))
                .as("after known rows it gets one more")
                .isFalse();
    }

    @Test
    void aSplitThatKeepsNoRowsAnyMoreIsComparedByItsOwnTime() {
        history.direct("q", 20 * MILLI);
        history.split("q", 40 * MILLI);
        history.reused("q", 5 * MILLI);
        assertThat(history.prefersDirect("q")).isFalse();
        history.readAll("q", false);
        assertThat(history.prefersDirect("q")).isTrue();
    }

    @Test
    void aShortSplitWithKnownRowsAsksForATryWithout() {
        history.split("q", 30 * MILLI);
        history.readAll("q", true);
        assertThat(history.shouldTryDirect("q", 0, 0, false)).isFalse();
        history.reused("q", 5 * MILLI);
        assertThat(history.shouldTryDirect("q", 6 * MILLI, 0, false))
                .as("it takes longer by itself")
                .isFalse();
        assertThat(history.shouldTryDirect("q", 4 * MILLI, 0, false)).isTrue();
        history.direct("q", 4 * MILLI);
        assertThat(history.shouldTryDirect("q", 4 * MILLI, 0, false)).isFalse();
        assertThat(history.prefersDirect("q")).isTrue();
    }

    @Test
    void filtersAreLeftOutIfTheSplitIsShorterWithout() {
        assertThat(history.prefersFilters("q")).isTrue();
        history.filtered("q", 30 * MILLI, 0.4);
        assertThat(history.prefersFilters("q")).as("the split is tried without").isFalse();
        history.unfiltered("q", 40 * MILLI);
        assertThat(history.prefersFilters("q")).isTrue();
        history.unfiltered("q", 20 * MILLI);
        assertThat(history.prefersFilters("q")).isFalse();
        assertThat(history.directUnknown("q")).isTrue();
    }

    @Test
    void filtersThatLeaveFewRowsAreNotTriedWithout() {
        history.filtered("q", 30 * MILLI, 0.01);
        assertThat(history.prefersFilters("q")).isTrue();
    }

    @Test
    void aShortSplitAsksForATryWithout() {
        history.split("long", 250 * MILLI);
        assertThat(history.shouldTryDirect("long", 0, 0, false)).isFalse();
        history.split("short", 40 * MILLI);
        assertThat(history.shouldTryDirect("short", 0, 0, false)).isTrue();
        assertThat(history.shouldTryDirect("short", 39 * MILLI, 0, false)).isTrue();
        assertThat(history.shouldTryDirect("short", 40 * MILLI, 0, false))
                .as("it takes no less by itself")
                .isFalse();
        history.direct("short", 90 * MILLI);
        assertThat(history.shouldTryDirect("short", 0, 0, false)).isFalse();
    }

    /** Receiving 25,000 rows takes a sixteenth of the first split. */
    @Test
    void aSplitBelowASecondThatReceivesManyRowsAsksForATryWithout() {
        history.split("q", 800 * MILLI);
        history.scanned("q", 1_000_000, 900 * MILLI, 900 * MILLI, 25_000);
        assertThat(history.shouldTryDirect("q", 0, 0, false)).isFalse();
        history.scanned("q", 1_000_000, 900 * MILLI, 900 * MILLI, 25_001);
        assertThat(history.shouldTryDirect("q", 0, 0, false)).isTrue();
        assertThat(history.shouldTryDirect("q", 800 * MILLI, 0, false))
                .as("it takes no less by itself")
                .isFalse();
        history.direct("q", 400 * MILLI);
        assertThat(history.shouldTryDirect("q", 0, 0, false)).isFalse();
        assertThat(history.prefersDirect("q")).isTrue();
        history.split("long", 1000 * MILLI);
        history.scanned("long", 1_000_000, 3000 * MILLI, 3000 * MILLI, 1_000_000);
        assertThat(history.shouldTryDirect("long", 0, 0, false))
                .as("a try may take long")
                .isFalse();
    }

    @Test
    void aSplitSavesWorkIfItsQueriesNeedMuchLessThanTheUnsplitStatement() {
        assertThat(history.maySaveWork("q")).as("it was not split yet").isTrue();
        history.scanned("q", 1, 9000 * MILLI, 800 * MILLI, 1);
        assertThat(history.maySaveWork("q")).as("one caller times it").isFalse();
        assertThat(history.maySaveWork("q")).as("it is not known yet").isTrue();
        history.unsplit("q", 1000 * MILLI);
        assertThat(history.maySaveWork("q")).isFalse();
        history.unsplit("q", 9000 * MILLI);
        assertThat(history.maySaveWork("q")).as("the first time counts").isFalse();
        history.scanned("q", 1, 9000 * MILLI, 799 * MILLI, 1);
        assertThat(history.maySaveWork("q")).as("the last split counts").isTrue();
        history.scanned("q", 1, 9000 * MILLI, 800 * MILLI, 1);
        history.reused("q", 400 * MILLI);
        assertThat(history.maySaveWork("q")).as("known rows save work").isTrue();
    }

    /** Each split takes 0.8 s, all its partition queries together 1.6 s. */
    @Test
    void aStatementThatIsSplitOftenIsTimedWithoutOnceInAWhile() {
        for (int splits = 0; splits < 40; splits++) {
            history.scanned("q", 1_000_000, 1600 * MILLI, 1600 * MILLI, 1);
            history.split("q", 800 * MILLI);
            assertThat(history.shouldTryDirect("q", 0, 0, false)).isFalse();
        }
        history.scanned("q", 1_000_000, 1600 * MILLI, 1600 * MILLI, 1);
        history.split("q", 800 * MILLI);
        assertThat(history.shouldTryDirect("q", 0, 0, false)).isTrue();
        history.direct("q", 1500 * MILLI);
        history.clearTimes();
        history.split("q", 800 * MILLI);
        assertThat(history.shouldTryDirect("q", 0, 0, false)).as("counted anew").isFalse();
    }

    @Test
    void aDoubtfulSplitIsWorthATryOnlyForLongStatements() {
        history.direct("long", 100 * MILLI);
        history.direct("short", 99 * MILLI);
        assertThat(history.worthATry("long", 0)).isTrue();
        assertThat(history.worthATry("short", 0)).isFalse();
        assertThat(history.worthATry("long", 100 * MILLI)).isTrue();
        assertThat(history.worthATry("long", 101 * MILLI))
                .as("the split is likely to take longer")
                .isFalse();
        assertThat(history.directUnknown("long")).isFalse();
    }

    @Test
    void ifBothWaysTakeAboutAsLongTheDirectOneIsTimedThreeTimes() {
        history.split("close", 60 * MILLI);
        history.split("far", 60 * MILLI);
        history.direct("close", 79 * MILLI);
        history.direct("far", 80 * MILLI);
        assertThat(history.shouldTryDirect("far", 0, 0, false)).isFalse();
        for (int tries = 1; tries < 3; tries++) {
            assertThat(history.shouldTryDirect("close", 0, 0, false)).isTrue();
            history.direct("close", 79 * MILLI);
        }
        assertThat(history.shouldTryDirect("close", 0, 0, false)).isFalse();
        assertThat(history.prefersDirect("close")).isFalse();
    }

    @Test
    void aStatementThatTakesLessThanTwoFixedCostsIsNotSplit() {
        history.began(10 * MILLI);
        assertThat(history.shouldTryDirect("q", 0, 20 * MILLI, false)).isFalse();
        assertThat(history.shouldTryDirect("q", 0, 20 * MILLI - 1, false)).isTrue();
        history.direct("q", 20 * MILLI);
        assertThat(history.prefersDirect("q")).isFalse();
        history.direct("short", 20 * MILLI - 1);
        assertThat(history.prefersDirect("short")).isTrue();
        history.began(2 * MILLI);
        assertThat(history.shouldTryDirect("q", 0, 12 * MILLI, false)).isFalse();
        assertThat(history.prefersDirect("short"))
                .as("it falls from 10 to 6 ms at once")
                .isFalse();
        history.began(14 * MILLI);
        assertThat(history.prefersDirect("short"))
                .as("it rises from 6 to 7 ms only")
                .isFalse();
        for (int splits = 0; splits < 50; splits++) {
            history.began(2 * MILLI);
        }
        assertThat(history.prefersDirect("short"))
                .as("the fixed cost follows what splits take")
                .isFalse();
    }

    /** Nothing is split while it is high, so no split can show that it has become less. */
    @Test
    void aHighFixedCostIsForgottenAfterAMinuteWithoutSplits() {
        history.began(500 * MILLI);
        history.direct("q", 600 * MILLI);
        assertThat(history.prefersDirect("q")).isTrue();
        clock.addAndGet(TimeUnit.MINUTES.toNanos(1));
        assertThat(history.prefersDirect("q")).isTrue();
        clock.incrementAndGet();
        assertThat(history.prefersDirect("q")).isFalse();
        assertThat(history.shouldTryDirect("q", 0, 0, false)).isFalse();
        history.began(10 * MILLI);
        history.direct("short", 20 * MILLI - 1);
        assertThat(history.prefersDirect("short")).as("by the new one alone").isTrue();
        assertThat(history.prefersDirect("q")).isFalse();
    }

    @Test
    void moreWorkCountsAtOnceAndLessByHalf() {
        assertThat(history.scanNanos("q", 100)).isEmpty();
        history.scanned("q", 100, 8 * MILLI, 8 * MILLI, 1);
        assertThat(history.scanNanos("q", 100)).hasValue(8 * MILLI);
        assertThat(history.scanNanos("q", 50)).hasValue(4 * MILLI);
        history.scanned("q", 100, 2 * MILLI, 2 * MILLI, 1);
        assertThat(history.scanNanos("q", 100)).hasValue(5 * MILLI);
        history.scanned("q", 10, 9 * MILLI, 9 * MILLI, 1);
        assertThat(history.scanNanos("q", 10)).hasValue(9 * MILLI);
    }

    @Test
    void theMostGroupsOfAPartitionQueryAreKeptUntilGroupsAreInSeveral() {
        history.grouped("q", 7, 7);
        assertThat(history.mostGroups("q")).as("no scan was recorded").isZero();
        history.scanned("q", 10, MILLI, MILLI, 100);
        history.grouped("q", 60, 100);
        history.scanned("q", 10, MILLI, MILLI, 100);
        history.grouped("q", 50, 50);
        assertThat(history.mostGroups("q")).as("two rows for each").isEqualTo(60);
        history.scanned("q", 10, MILLI, MILLI, 101);
        history.grouped("q", 70, 50);
        assertThat(history.mostGroups("q")).isEqualTo(PartitionQueryTimes.REPEATED);
        history.scanned("q", 10, MILLI, MILLI, 100);
        history.grouped("q", 70, 100);
        assertThat(history.mostGroups("q")).as("it stays so").isEqualTo(PartitionQueryTimes.REPEATED);
    }
}
