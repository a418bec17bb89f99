package io.fanfold.execute;

import io.fanfold.execute.StatementReuse.PartReuse;
import io.fanfold.plan.Part;
import java.util.function.Function;

/**
 * Finds and keeps the rows of one block's partition queries. For the coordinator thread.
 *
 * @param sources what the partition queries read
 * @param query writes the partition query of a part, in UTF-8
 */
record BlockReuse(StatementReuse statement, PartSources sources, Function<Part, byte[]> query) {
    /** See {@link StatementReuse#part}. */
    PartReuse part(Part part) throws InterruptedException {
        return statement.part(query.apply(part), sources, part);
    }

    /** Whether the rows of a part are known. Counts nothing. */
    boolean knows(Part part) throws InterruptedException {
        return statement.knows(query.apply(part), sources);
    }
}
