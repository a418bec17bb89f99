package io.fanfold.execute;

import io.fanfold.catalog.PartitionedTable;
import io.fanfold.config.FanOutConfig;
import io.fanfold.plan.CostGate;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.NamedTables;
import io.fanfold.plan.SplitDraft;
import io.fanfold.plan.StatementDraft;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The blocks of a logical plan that are worth a fan-out, by the server's plans on the client's own connection.
 *
 * @param draft the logical plan with only those blocks; the others stay in the rest of the statement
 * @param work the worker steps of each block
 * @param partitions the number of partitions of the block with the most
 * @param settings the settings for the tables of these blocks
 */
record BlockGate(StatementDraft draft, List<BlockWork> work, int partitions, FanOutConfig settings) {
    BlockGate {
        work = List.copyOf(work);
    }

    /**
     * Evaluates the blocks.
     *
     * @param plans the server's plan of each block alone
     * @param text the statement's text
     * @throws RefusedException if no block is worth it
     */
    static BlockGate judge(
            StatementDraft draft, List<List<ExplainedTable>> plans, String text, NamedTables tables, CatalogWatch watch)
            throws RefusedException {
        List<SplitDraft> kept = new ArrayList<>();
        List<BlockWork> work = new ArrayList<>();
        int partitions = 0;
        Optional<Refusal> refused = Optional.empty();
        for (int i = 0; i < plans.size(); i++) {
            SplitDraft block = draft.blocks().get(i);
            PartitionedTable table = tables.found(block.split())
                    .orElseThrow(() -> new RefusedException(
                            Reason.NO_PARTITIONED_TABLE, block.split().name()));
            CostGate gate = new CostGate(tables.settings(block.split()).minRows());
            try {
                CostGate.Choice choice = gate.judge(
                        plans.get(i), block.split(), table, block.model().hint());
                kept.add(block);
                work.add(new BlockWork(block, table, gate, draft.framed() ? block.text() : text));
                partitions = Math.max(partitions, choice.partitions().size());
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
        StatementDraft rest = draft.with(kept);
        return new BlockGate(rest, work, partitions, rest.settings(tables));
    }
}
