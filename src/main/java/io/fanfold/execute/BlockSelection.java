package io.fanfold.execute;

import io.fanfold.catalog.CatalogTable;
import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FanOutConfig.KeyRanges;
import io.fanfold.discovery.CatalogService;
import io.fanfold.plan.CostGate;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.LogicalPlan;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.plan.NamedTables;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.HintWord;
import io.fanfold.wire.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The blocks of a logical plan that are worth a fan-out, by the server's plans on the client's own connection.
 *
 * @param logical the logical plan with only those blocks; the others stay in the rest of the statement
 * @param blocks each of these blocks
 * @param partitions the number of partitions of the block with the most; {@link Integer#MAX_VALUE} if one is split by
 *     ranges of a key
 * @param settings the settings for the tables of these blocks
 */
record BlockSelection(LogicalStatement logical, List<BlockPlanning> blocks, int partitions, FanOutConfig settings) {
    BlockSelection {
        blocks = List.copyOf(blocks);
    }

    /** Whether no block is split by partitions. One worker is then of no use: it would read the table as the server does. */
    boolean rangesOnly() {
        return blocks.stream().noneMatch(block -> block.table().partitioned());
    }

    /**
     * Evaluates the blocks.
     *
     * @param plans the server's plan of each block alone
     * @param text the statement's text
     * @param definitions the reply to SHOW CREATE TABLE of each table, by its text
     * @throws RefusedException if no block is worth it
     */
    static BlockSelection judge(
            LogicalStatement logical,
            List<List<ExplainedTable>> plans,
            String text,
            Map<String, Reply> definitions,
            NamedTables tables,
            CatalogService watch)
            throws RefusedException {
        List<LogicalPlan> kept = new ArrayList<>();
        List<BlockPlanning> blocks = new ArrayList<>();
        int partitions = 0;
        Optional<Refusal> refused = Optional.empty();
        for (int i = 0; i < plans.size(); i++) {
            LogicalPlan block = logical.blocks().get(i);
            CatalogTable table = tables.found(block.split())
                    .orElseThrow(() -> new RefusedException(
                            Reason.NO_PARTITIONED_TABLE, block.split().name()));
            FanOutConfig own = tables.settings(block.split());
            Reply definition = Objects.requireNonNull(definitions.get(TableProof.statement(block.split())));
            boolean remote = TableProof.spiderScheme(definition).isPresent();
            boolean ranges = own.keyRanges() == KeyRanges.ON
                    && !remote
                    && !logical.statement().has(HintWord.NO_RANGES)
                    && (table.partitioned() ? block.mayDividePartitions() : block.mayHaveRanges());
            BlockPlanning planning = new BlockPlanning(
                    block, table, new CostGate(own.minRows()), ranges, logical.embedded() ? block.text() : text);
            try {
                partitions = Math.max(partitions, planning.parallelism(plans.get(i), definition, own.degree()));
                kept.add(block);
                blocks.add(planning);
            } catch (RefusedException e) {
                refused = refused.or(() -> Optional.of(e.refusal()));
            }
        }
        if (refused.map(no -> no.reason() == Reason.PARTITIONS).orElse(false)) {
            watch.refreshSoon();
        }
        if (kept.isEmpty()) {
            throw new RefusedException(refused.orElseThrow());
        }
        LogicalStatement rest = logical.with(kept);
        return new BlockSelection(rest, blocks, partitions, rest.settings(tables));
    }
}
