package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.SelectModel.TablePlace;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.TextRange;
import io.fanfold.wire.Reply;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TableProofTest {
    private static final TableRef TABLE =
            new TableRef(new TextRange(0, 1), "d`b", "t", null, false, Optional.empty(), TablePlace.FROM);
    private static final String COLUMNS = "CREATE TABLE `t` (\n  `id` int NOT NULL,\n  `Big` int DEFAULT NULL\n)";
    private static final String INNODB = COLUMNS + " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4";
    private static final String PARTITIONED = INNODB + "\n/*!50100 PARTITION BY HASH (`id`)\nPARTITIONS 4 */";

    private static Reply shown(String firstColumn, String text) {
        return Rows.reply(Rows.columns(firstColumn, "Create " + firstColumn), Rows.row("t", text));
    }

    private static void check(String text, String... shadowingAliases) throws RefusedException {
        TableProof.check(TABLE, shown("Table", text), Set.of(shadowingAliases));
    }

    private static void refuses(Reason reason, Reply reply, String... shadowingAliases) {
        assertThatThrownBy(() -> TableProof.check(TABLE, reply, Set.of(shadowingAliases)))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }

    private static void refuses(Reason reason, String text, String... shadowingAliases) {
        refuses(reason, shown("Table", text), shadowingAliases);
    }

    @Test
    void namesAreQuoted() {
        assertThat(TableProof.statement(TABLE)).isEqualTo("SHOW CREATE TABLE `d``b`.`t`");
        assertThat(TableProof.statement(
                        new TableRef(new TextRange(0, 1), null, "a`b", "x", false, Optional.empty(), TablePlace.FROM)))
                .isEqualTo("SHOW CREATE TABLE `a``b`");
    }

    @Test
    void partitionedBaseTablesPass() throws Exception {
        check(PARTITIONED, "bigger");
        check(PARTITIONED.replace('`', '"'), "bigger");
        check(INNODB);
    }

    @Test
    void onlyPartitionedSpiderTablesPass() throws Exception {
        String spider = COLUMNS + " ENGINE=SPIDER COMMENT='srv \"b1\"'";
        String partitioned = spider + "\n PARTITION BY HASH (`id`)\n(PARTITION `p0` COMMENT = 'srv \"b1\"' ENGINE ="
                + " SPIDER,\n PARTITION `p1` COMMENT = 'srv \"b2\"' ENGINE = SPIDER)";
        check(partitioned);
        refuses(Reason.ENGINE, spider);
        refuses(Reason.ENGINE, partitioned.replace("ENGINE = SPIDER)", "DATA DIRECTORY = '/x' ENGINE = SPIDER)"));
        Reply reply = shown("Table", partitioned);
        assertThat(TableProof.spiderScheme(reply).orElseThrow().partitions()).hasSize(2);
        assertThat(TableProof.scheme(reply))
                .as("partitions whose rows are certain")
                .isEmpty();
        assertThat(TableProof.partitioning(reply)).isEmpty();
        assertThat(TableProof.spiderScheme(shown("Table", PARTITIONED))).isEmpty();
    }

    private static Map<TableRef, List<String>> primaryKeys(Reply reply) {
        return TableProof.primaryKeys(List.of(TABLE), Map.of(TableProof.statement(TABLE), reply));
    }

    @Test
    void aPrimaryKeyIsKnownIfAllRowsAreInOnePlace() {
        String keyed = INNODB.replace("NULL\n)", "NULL,\n  PRIMARY KEY (`id`)\n)");
        assertThat(primaryKeys(shown("Table", keyed))).isEqualTo(Map.of(TABLE, List.of("id")));
        assertThat(primaryKeys(shown("Table", keyed + "\n/*!50100 PARTITION BY HASH (`id`)\nPARTITIONS 4 */")))
                .isEmpty();
        assertThat(primaryKeys(shown("Table", keyed.replace("InnoDB", "SPIDER"))))
                .isEmpty();
        assertThat(primaryKeys(shown("Table", INNODB))).isEmpty();
        assertThat(primaryKeys(new Reply.Failed(1142, "42000", "denied"))).isEmpty();
        assertThat(TableProof.primaryKeys(List.of(TABLE), Map.of())).isEmpty();
    }

    @Test
    void viewsAreRefused() {
        refuses(Reason.VIEW, shown("View", "CREATE VIEW `t` AS select 1"));
        refuses(Reason.VIEW, shown("View", "CREATE VIEW `t` AS select 1"));
        refuses(Reason.VIEW, "CREATE ALGORITHM=MERGE VIEW `t` AS select 1");
    }

    @Test
    void temporaryTablesAreRefused() {
        refuses(Reason.TEMPORARY_TABLE, INNODB.replace("CREATE TABLE", "CREATE TEMPORARY TABLE"));
    }

    @Test
    void sequencesAreRefused() {
        refuses(Reason.TABLE_UNREADABLE, INNODB + " SEQUENCE=1");
        refuses(Reason.TABLE_UNREADABLE, "CREATE SEQUENCE `t` start with 1 ENGINE=InnoDB");
    }

    @Test
    void otherEnginesAndSystemVersioningAreRefused() {
        refuses(Reason.ENGINE, PARTITIONED.replace("InnoDB", "MyISAM"));
        refuses(Reason.ENGINE, COLUMNS);
        refuses(Reason.ENGINE, INNODB + " WITH SYSTEM VERSIONING");
    }

    @Test
    void anAliasMustBeNoColumn() {
        refuses(Reason.AMBIGUOUS_NAME, PARTITIONED, "other", "big");
        refuses(Reason.AMBIGUOUS_NAME, PARTITIONED.replace('`', '"'), "big");
        refuses(Reason.AMBIGUOUS_NAME, PARTITIONED.replace("`", ""), "big");
        refuses(Reason.AMBIGUOUS_NAME, INNODB.replace("Big", "a``b"), "a`b");
        refuses(Reason.AMBIGUOUS_NAME, INNODB.replace('`', '"').replace("Big", "a\"\"b"), "a\"b");
    }

    @Test
    void textsThatAreJsonToMariaDbAreFound() throws Exception {
        TableProof.requireNoJsonTexts(TABLE, shown("Table", PARTITIONED));
        String checked = INNODB.replace("`Big` int", "`Big` longtext CHECK (JSON_VALID(`Big`))");
        assertThatThrownBy(() -> TableProof.requireNoJsonTexts(TABLE, shown("Table", checked)))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.ARGUMENT_TYPE));
    }

    @Test
    void repliesThatShowNothingAreRefused() {
        refuses(Reason.TABLE_UNREADABLE, new Reply.Failed(1142, "42000", "denied"));
        refuses(Reason.TABLE_UNREADABLE, new Reply.TooLarge(1 << 20));
        refuses(Reason.TABLE_UNREADABLE, new Reply.Completed(0, 0));
        refuses(Reason.TABLE_UNREADABLE, Rows.reply(Rows.columns("Table", "Create Table")));
        refuses(
                Reason.TABLE_UNREADABLE,
                new Reply.Result(
                        Rows.columns("Table", "Create Table"),
                        List.of(Rows.row("t", PARTITIONED), Rows.row("t", PARTITIONED)),
                        0,
                        0));
        refuses(Reason.TABLE_UNREADABLE, "NULL");
        refuses(Reason.TABLE_UNREADABLE, "CREATE TABLE `t");
    }
}
