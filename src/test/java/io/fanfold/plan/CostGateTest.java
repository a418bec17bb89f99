package io.fanfold.plan;

import static io.fanfold.reason.Refusals.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.CatalogTable;
import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.catalog.TableName;
import io.fanfold.plan.CostGate.PartitionChoice;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Hint;
import io.fanfold.sql.SelectModel.PartitionClause;
import io.fanfold.sql.SelectModel.TablePlace;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.TextRange;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CostGateTest {
    private static final TableRef SALES =
            new TableRef(new TextRange(0, 1), "db", "sales", null, false, Optional.empty(), TablePlace.FROM);
    private static final TableRef AS_X =
            new TableRef(new TextRange(0, 1), "db", "sales", "x", false, Optional.empty(), TablePlace.FROM);
    private static final Hint NONE = new Hint.None();
    private static final Hint PARALLEL = new Hint.Parallel(Optional.empty());

    private static CatalogTable table(Partition... partitions) {
        return new CatalogTable(new TableName("db", "sales"), "RANGE", "d", List.of(partitions));
    }

    private static final CatalogTable THREE =
            table(new Partition("p0", "p0", 10), new Partition("P1", "P1", 3000), new Partition("s0", "p2_s0", 200));

    private static ExplainedTable row(String table, String partitions, long rows, String extra) {
        return new ExplainedTable(
                1, table, partitions.isEmpty() ? List.of() : List.of(partitions.split(",", -1)), "", rows, extra);
    }

    private static PartitionChoice judge(long minRows, Hint hint, ExplainedTable... explained) throws RefusedException {
        return new CostGate(minRows).judge(List.of(explained), SALES, THREE, hint, false);
    }

    private static Reason reason(ThrowingCallable judged) {
        return refusalOf(judged).reason();
    }

    @Test
    void readsThePrunedPartitionsInTheirOrder() throws RefusedException {
        assertThat(judge(100, NONE, row("sales", "p0,P1,p2_s0", 3210, "Using where")))
                .isEqualTo(new PartitionChoice(
                        List.of(
                                new Partition("p0", "p0", 10),
                                new Partition("P1", "P1", 3000),
                                new Partition("s0", "p2_s0", 200)),
                        3210));
        assertThat(judge(100, NONE, row("sales", "p2_s0,p0", 210, "")))
                .isEqualTo(new PartitionChoice(
                        List.of(new Partition("p0", "p0", 10), new Partition("s0", "p2_s0", 200)), 210));
    }

    @Test
    void namesCompareWithoutCase() throws RefusedException {
        assertThat(judge(1, NONE, row("SALES", "P0,p1", 500, ""))).isInstanceOf(PartitionChoice.class);
    }

    @Test
    void explainShowsTheAlias() throws RefusedException {
        CostGate gate = new CostGate(1);
        assertThat(gate.judge(List.of(row("x", "p0,P1", 9, "")), AS_X, THREE, NONE, false))
                .isInstanceOf(PartitionChoice.class);
        assertThat(reason(() -> gate.judge(List.of(row("sales", "p0,P1", 9, "")), AS_X, THREE, NONE, false)))
                .isEqualTo(Reason.ALREADY_FAST);
    }

    @Test
    void aTableThatIsNotShownOnceIsNotJudged() throws RefusedException {
        assertThat(reason(() -> judge(1, PARALLEL))).isEqualTo(Reason.ALREADY_FAST);
        assertThat(reason(() -> judge(1, PARALLEL, row("", "", 0, "Select tables optimized away"))))
                .isEqualTo(Reason.ALREADY_FAST);
        assertThat(reason(() -> judge(1, PARALLEL, row("sales", "p0,P1", 9, ""), row("sales", "p0,P1", 9, ""))))
                .isEqualTo(Reason.AMBIGUOUS_NAME);
    }

    @Test
    void aTableOfTheSameNameInASubqueryIsDistinguishedByItsSelect() throws RefusedException {
        ExplainedTable own = row("sales", "p0,P1", 9, "");
        ExplainedTable inner = new ExplainedTable(2, "sales", List.of("p0"), "", 1, "");
        assertThat(judge(1, PARALLEL, inner, own)).isInstanceOf(PartitionChoice.class);
        assertThat(reason(() -> judge(1, PARALLEL, inner, row("sales", "p0", 9, ""))))
                .isEqualTo(Reason.FEW_PARTITIONS);
    }

    @Test
    void aTableOfTheSameNameInAMergedSubqueryIsNotTakenForIt() throws RefusedException {
        ExplainedTable merged = row("sales", "p0", 1, "");
        ExplainedTable inner = new ExplainedTable(2, "sales", List.of("p0", "P1"), "", 9, "");
        TableRef derived =
                new TableRef(new TextRange(0, 1), "db", "sales", null, false, Optional.empty(), TablePlace.DERIVED);
        assertThat(reason(() -> new CostGate(1).judge(List.of(merged, inner), derived, THREE, PARALLEL, false)))
                .isEqualTo(Reason.AMBIGUOUS_NAME);
        assertThat(new CostGate(1).judge(List.of(inner), derived, THREE, PARALLEL, false))
                .isInstanceOf(PartitionChoice.class);
        assertThat(reason(() -> judge(1, PARALLEL, inner))).isEqualTo(Reason.ALREADY_FAST);
    }

    @Test
    void partitionsThatAreNotKnownAreNeverGuessed() throws RefusedException {
        assertThat(reason(() -> judge(1, PARALLEL, row("sales", "", 9, "")))).isEqualTo(Reason.PARTITIONS);
        assertThat(reason(() -> judge(1, PARALLEL, row("sales", "p0,P1,p9", 9, ""))))
                .isEqualTo(Reason.PARTITIONS);
        assertThat(reason(() -> judge(1, PARALLEL, row("sales", "p0,s0", 9, ""))))
                .isEqualTo(Reason.PARTITIONS);
        assertThat(reason(() -> judge(1, PARALLEL, row("sales", "p0,P1,p1", 9, ""))))
                .isEqualTo(Reason.PARTITIONS);
    }

    @Test
    void onlyPartitionsThatTheStatementNamesAreRead() throws RefusedException {
        CostGate gate = new CostGate(1);
        List<ExplainedTable> two = List.of(row("sales", "p0,p2_s0", 9, ""));
        assertThat(gate.judge(two, naming("P0", "p2"), THREE, NONE, false)).isInstanceOf(PartitionChoice.class);
        assertThat(gate.judge(two, naming("p0", "S0", "p9"), THREE, NONE, false))
                .isInstanceOf(PartitionChoice.class);
        assertThat(reason(() -> gate.judge(two, naming("p0", "p1"), THREE, NONE, false)))
                .isEqualTo(Reason.PARTITIONS);
        assertThat(reason(() -> gate.judge(two, naming("p0", "p"), THREE, NONE, false)))
                .isEqualTo(Reason.PARTITIONS);
        CatalogTable underscores = table(new Partition("_a", "_a", 1), new Partition("a_a", "a_a", 1));
        List<ExplainedTable> both = List.of(row("sales", "_a,a_a", 9, ""));
        assertThat(gate.judge(both, naming("_a", "a_a"), underscores, NONE, false))
                .isInstanceOf(PartitionChoice.class);
        assertThat(reason(() -> gate.judge(both, naming("a", "a_a"), underscores, NONE, false)))
                .isEqualTo(Reason.PARTITIONS);
    }

    private static TableRef naming(String... partitions) {
        return new TableRef(
                new TextRange(0, 1),
                "db",
                "sales",
                null,
                false,
                Optional.of(new PartitionClause(new TextRange(2, 3), List.of(partitions))),
                TablePlace.FROM);
    }

    @Test
    void aNameWithACommaIsNotTakenForTwoPartitions() throws RefusedException {
        CatalogTable commas =
                table(new Partition("a", "a", 1), new Partition("b", "b", 1), new Partition("a,b", "a,b", 1));
        assertThat(reason(() ->
                        new CostGate(1).judge(List.of(row("sales", "a,b", 9, "")), SALES, commas, PARALLEL, false)))
                .isEqualTo(Reason.PARTITIONS);
    }

    @Test
    void subpartitionsThatAreShownAlikeAreNotTakenForEachOther() throws RefusedException {
        CatalogTable alike =
                table(new Partition("b_c", "a_b_c", 1), new Partition("c", "a_b_c", 1), new Partition("d", "a_d", 1));
        assertThat(reason(() -> new CostGate(1)
                        .judge(List.of(row("sales", "a_b_c,a_d", 9, "")), SALES, alike, PARALLEL, false)))
                .isEqualTo(Reason.PARTITIONS);
    }

    @Test
    void onePartitionIsNotSplitEvenWithTheHint() throws RefusedException {
        assertThat(reason(() -> judge(0, PARALLEL, row("sales", "P1", 9_000_000, ""))))
                .isEqualTo(Reason.FEW_PARTITIONS);
    }

    @ParameterizedTest
    @CsvSource({"999,true", "1000,false", "1001,false"})
    void theGateIsTheLeastNumberOfRowsThatIsSplit(long rows, boolean refused) throws RefusedException {
        if (!refused) {
            assertThat(judge(1000, NONE, row("sales", "p0,P1", rows, ""))).isInstanceOf(PartitionChoice.class);
        } else {
            assertThat(reason(() -> judge(1000, NONE, row("sales", "p0,P1", rows, ""))))
                    .isEqualTo(Reason.FEW_ROWS);
        }
    }

    @Test
    void theHintOpensTheGate() throws RefusedException {
        assertThat(judge(1000, PARALLEL, row("sales", "p0,P1", 1, ""))).isInstanceOf(PartitionChoice.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Using index for group-by", "Using where; Using index for group-by (scanning)"})
    void aLooseScanIsFastUnlessTheHintSaysOtherwise(String extra) throws RefusedException {
        assertThat(reason(() -> judge(1, NONE, row("sales", "p0,P1", 9, extra))))
                .isEqualTo(Reason.ALREADY_FAST);
        assertThat(judge(1, PARALLEL, row("sales", "p0,P1", 9, extra))).isInstanceOf(PartitionChoice.class);
    }

    @Test
    void rowsOfTheTablesBeforeMultiplyAndRowsOfTheTablesAfterDoNot() throws RefusedException {
        PartitionChoice verdict = judge(
                1,
                NONE,
                row("d", "", 7, ""),
                row("e", "", 0, ""),
                row("sales", "p0,P1", 5, ""),
                row("f", "", 1000, ""));
        assertThat(verdict.estimatedRows()).isEqualTo(35);
    }

    @Test
    void rowsOfOtherSelectsDoNotMultiply() throws RefusedException {
        ExplainedTable other = new ExplainedTable(2, "d", List.of(), "", 1000, "");
        assertThat(judge(1, NONE, other, row("sales", "p0,P1", 5, "")).estimatedRows())
                .isEqualTo(5);
        List<ExplainedTable> whole = List.of(other, row("sales", "p0", 1000, ""));
        assertThat(CostGate.worse(whole, List.of(row("sales", "p0", 2000, "")), SALES, 2, 2))
                .isEmpty();
        assertThat(CostGate.worse(whole, List.of(row("sales", "p0", 2001, "")), SALES, 2, 2))
                .isPresent();
    }

    @Test
    void productsStopAtTheLargestNumber() throws RefusedException {
        PartitionChoice verdict = judge(1, NONE, row("d", "", Long.MAX_VALUE / 2, ""), row("sales", "p0,P1", 3, ""));
        assertThat(verdict.estimatedRows()).isEqualTo(Long.MAX_VALUE);
    }

    @ParameterizedTest
    @CsvSource({"1000,500,4,false", "1000,501,4,true", "1000,500,5,true", "1000,250,8,false", "1000,251,8,true"})
    void aPartitionPlanIsWorseBeyondTwiceTheRows(long once, long partition, int partitions, boolean worse)
            throws RefusedException {
        Optional<Refusal> verdict = CostGate.worse(
                List.of(row("d", "", once / 10, ""), row("sales", "p0", 10, "")),
                List.of(row("d", "", 1, ""), row("sales", "p0", partition, "")),
                SALES,
                partitions,
                partitions);
        assertThat(verdict.isPresent()).isEqualTo(worse);
        verdict.ifPresent(no -> assertThat(no.reason()).isEqualTo(Reason.WORSE_PLAN));
    }

    @Test
    void aPartitionPlanBeyondAllNumbersIsWorse() throws RefusedException {
        ExplainedTable huge = row("sales", "p0", Long.MAX_VALUE, "");
        assertThat(CostGate.worse(List.of(row("sales", "p0", 10, "")), List.of(huge, huge), SALES, 1000, 1000))
                .isPresent();
        assertThat(CostGate.worse(List.of(huge, huge), List.of(huge), SALES, 2, 2))
                .isEmpty();
    }

    @Test
    void aPartitionPlanWithOtherTablesFirstIsInDoubt() throws RefusedException {
        List<ExplainedTable> whole = List.of(row("d", "", 10, ""), row("sales", "p0", 10, ""));
        List<ExplainedTable> partition = List.of(row("sales", "p0", 1, ""), row("d", "", 1, ""));
        assertThat(CostGate.worse(whole, partition, SALES, 2, 2).map(Refusal::reason))
                .contains(Reason.WORSE_PLAN);
    }

    /** The server's estimate of found rows is for the whole table, whichever partition is searched. */
    @Test
    void aPartitionHasItsShareOfTheRowsThatAreFound() {
        List<ExplainedTable> plan = List.of(row("d", "", 1000, ""), found(64));
        assertThat(CostGate.worse(plan, plan, SALES, 8, 8)).isEmpty();
        assertThat(CostGate.worse(plan, plan, SALES, 8, 1)).isPresent();
        List<ExplainedTable> few = List.of(row("d", "", 1000, ""), found(4));
        assertThat(CostGate.worse(few, few, SALES, 16, 16))
                .as("sixteen times as many searches")
                .isPresent();
    }

    @Test
    void findsAllRowsIfTheTablesBeforeAreReadWithoutCondition() {
        ExplainedTable all = new ExplainedTable(1, "d", List.of(), "ALL", 1000, "Using temporary; Using filesort");
        ExplainedTable some = new ExplainedTable(1, "d", List.of(), "ALL", 1000, "Using where");
        ExplainedTable after = new ExplainedTable(1, "e", List.of(), "eq_ref", 1, "Using where");
        assertThat(CostGate.findsAll(List.of(all, found(64), after), SALES)).isTrue();
        assertThat(CostGate.corrected(List.of(all, found(64), after), SALES, 2_000_000))
                .containsExactly(all, found(2000), after);
        assertThat(CostGate.corrected(List.of(all, found(64), after), SALES, 2000))
                .as("the server's own estimate is higher")
                .containsExactly(all, found(64), after);
        assertThat(CostGate.findsAll(List.of(some, found(64), after), SALES)).isFalse();
        assertThat(CostGate.findsAll(List.of(after, found(64)), SALES)).isFalse();
        assertThat(CostGate.findsAll(List.of(found(64), after), SALES))
                .as("the rows with a constant value")
                .isFalse();
        assertThat(CostGate.findsAll(List.of(all, row("sales", "p0", 64, "")), SALES))
                .as("a scan, whose estimate is good")
                .isFalse();
    }

    /** A condition may leave fewer rows of the tables before, so these are the most. */
    @Test
    void findsAllRowsAtMostIfTheTablesBeforeHaveConditions() {
        ExplainedTable some = new ExplainedTable(1, "d", List.of(), "ALL", 1000, "Using where");
        assertThat(CostGate.atMost(List.of(some, found(64)), SALES, 2_000_000)).containsExactly(some, found(2000));
        List<ExplainedTable> scan = List.of(some, row("sales", "p0", 64, ""));
        assertThat(CostGate.atMost(scan, SALES, 2_000_000)).isEqualTo(scan);
        assertThat(CostGate.corrected(List.of(some, found(64)), SALES, 2_000_000))
                .containsExactly(some, found(64));
    }

    @Test
    void rowsAreLookedUpByTheTablesBefore() {
        ExplainedTable before = row("d", "", 10, "");
        ExplainedTable after = row("e", "", 10, "");
        assertThat(CostGate.lookedUpBy(List.of(before, found(64), after), SALES))
                .containsExactly("d");
        assertThat(CostGate.lookedUpBy(List.of(before, unpartitioned("range", "k")), SALES))
                .isEmpty();
        assertThat(CostGate.lookedUpBy(List.of(found(64)), SALES)).isEmpty();
    }

    @Test
    void aPlanNamesThePartitionsItReads() {
        assertThat(CostGate.partitions(List.of(row("sales", "p0,P1", 9, "")), SALES))
                .contains(Set.of("p0", "p1"));
        assertThat(CostGate.partitions(List.of(row("", "", 0, "Impossible WHERE")), SALES))
                .as("it reads no table")
                .contains(Set.of());
        assertThat(CostGate.partitions(List.of(), SALES)).isEmpty();
        assertThat(CostGate.partitions(List.of(row("", "", 0, ""), row("sales", "p0", 9, "")), SALES))
                .contains(Set.of("p0"));
        assertThat(CostGate.partitions(List.of(row("other", "p0", 9, "")), SALES))
                .isEmpty();
        assertThat(CostGate.partitions(List.of(row("sales", "", 9, "")), SALES)).isEmpty();
        assertThat(CostGate.partitions(List.of(row("sales", "p0", 9, ""), row("sales", "p1", 9, "")), SALES))
                .isEmpty();
    }

    @Test
    void onlyAPlanByOneIndexScans() {
        assertThat(CostGate.scans(List.of(unpartitioned("range", "k")), SALES)).isTrue();
        assertThat(CostGate.scans(List.of(unpartitioned("index_merge", "k")), SALES))
                .isFalse();
        assertThat(CostGate.scans(List.of(unpartitioned("ALL", ""), unpartitioned("ALL", "")), SALES))
                .as("it is not clear which one is split")
                .isFalse();
        assertThat(CostGate.scans(List.of(row("other", "", 9, "")), SALES)).isFalse();
    }

    @Test
    void theLargestNumberOfRowsIsReached() {
        long half = Long.MAX_VALUE / 2;
        assertThat(CostGate.total(List.of(row("a", "", half, ""), row("b", "", 2, ""))))
                .isEqualTo(Long.MAX_VALUE - 1);
        assertThat(CostGate.total(List.of(row("a", "", half + 1, ""), row("b", "", 2, ""))))
                .isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aTableWithoutAPlaceForARangeIsNotSplit() {
        assertThat(reason(() -> new CostGate(1).judge(List.of(unpartitioned("ALL", "")), SALES, WHOLE, NONE, false)))
                .isEqualTo(Reason.KEY_RANGE);
    }

    private static ExplainedTable found(long rows) {
        return new ExplainedTable(1, "sales", List.of("p0"), "ref", rows, "");
    }

    /**
     * A table of a partition-wise join is read as a whole unless the server's plan names only known partitions of it.
     */
    @Test
    void aTableIsReadInKnownPartitionsOnlyIfThePlanNamesNoOther() throws RefusedException {
        Set<String> known = Set.of("p0", "p1");
        assertThat(CostGate.readsOnly(List.of(row("sales", "p0,P1", 9, "")), SALES, known))
                .isTrue();
        assertThat(CostGate.readsOnly(List.of(row("sales", "P1", 9, "")), SALES, known))
                .isTrue();
        assertThat(CostGate.readsOnly(List.of(row("sales", "p0,p2", 9, "")), SALES, known))
                .isFalse();
        assertThat(CostGate.readsOnly(List.of(row("sales", "", 9, "")), SALES, known))
                .isFalse();
        assertThat(CostGate.readsOnly(List.of(row("other", "p0", 9, "")), SALES, known))
                .isFalse();
        assertThat(CostGate.readsOnly(List.of(row("sales", "p0", 9, ""), row("sales", "p1", 9, "")), SALES, known))
                .isFalse();
        assertThat(CostGate.readsOnly(List.of(row("x", "p0", 9, ""), row("sales", "p9", 9, "")), AS_X, known))
                .isTrue();
    }

    private static final CatalogTable WHOLE = CatalogTable.unpartitioned(new TableName("db", "sales"), 5_000);

    private static ExplainedTable unpartitioned(String accessType, String key) {
        return new ExplainedTable(1, "sales", List.of(), accessType, key, 5_000, "");
    }

    @Test
    void aTableWithoutPartitionsIsReadByOneIndex() throws RefusedException {
        for (String type : List.of("ALL", "index", "range", "ref", "eq_ref")) {
            assertThat(new CostGate(1)
                            .judge(List.of(unpartitioned(type, "k")), SALES, WHOLE, NONE, true)
                            .partitions())
                    .isEqualTo(WHOLE.partitions());
        }
        for (String type : List.of("index_merge", "fulltext", "const")) {
            assertThat(reason(() -> new CostGate(1).judge(List.of(unpartitioned(type, "k")), SALES, WHOLE, NONE, true)))
                    .isEqualTo(Reason.KEY_RANGE);
        }
        assertThat(reason(
                        () -> new CostGate(1).judge(List.of(row("sales", "p0", 9, "")), SALES, WHOLE, PARALLEL, true)))
                .isEqualTo(Reason.PARTITIONS);
    }

    @Test
    void aFullScanIsInTheOrderOfThePrimaryKey() {
        assertThat(CostGate.scannedIndex(List.of(unpartitioned("ALL", "")), SALES))
                .isEqualTo("PRIMARY");
        assertThat(CostGate.scannedIndex(List.of(unpartitioned("range", "k")), SALES))
                .isEqualTo("k");
        assertThat(CostGate.scansFully(List.of(unpartitioned("ALL", "")), SALES))
                .isTrue();
        assertThat(CostGate.scansFully(List.of(unpartitioned("index", "k")), SALES))
                .isTrue();
        assertThat(CostGate.scansFully(List.of(unpartitioned("range", "k")), SALES))
                .isFalse();
    }

    @Test
    void readsRowsForEachRowOfTheTablesBefore() {
        ExplainedTable before = row("d", "", 10, "");
        ExplainedTable sales = row("sales", "p0", 300, "");
        assertThat(CostGate.reads(List.of(before, sales), SALES)).isEqualTo(3000);
        assertThat(CostGate.reads(List.of(before, row("sales", "p0", 300, "Using join buffer (hash join)")), SALES))
                .isEqualTo(300);
        assertThat(CostGate.reads(List.of(sales, sales), SALES)).isZero();
        assertThat(CostGate.reads(List.of(before), SALES)).isZero();
    }
}
