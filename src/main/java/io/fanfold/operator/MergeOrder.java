package io.fanfold.operator;

import java.util.Arrays;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** The order in which an {@link Exchange} takes rows from its buffers. For one thread. */
interface MergeOrder {

    /** Finds the buffer of a partition's rows; waits until a thread has started the partition. */
    interface Owners {
        ExchangeBuffer of(int partition) throws InterruptedException;
    }

    /**
     * Finds the next rows, waiting for them.
     *
     * @param most how many at most, at least 1
     * @return the source that is at these rows; null after the last one
     */
    @Nullable
    MergeSource next(long most) throws InterruptedException;

    /** Partition after partition. */
    final class OfPartitions implements MergeOrder {
        private final Owners owners;
        private final int partitions;
        private int partition;
        private @Nullable MergeSource reader;

        OfPartitions(Owners owners, int partitions) {
            this.owners = owners;
            this.partitions = partitions;
        }

        @Override
        public @Nullable MergeSource next(long most) throws InterruptedException {
            while (partition < partitions) {
                MergeSource current = reader;
                if (current == null) {
                    current = new MergeSource(owners.of(partition), partition);
                    reader = current;
                }
                if (current.advance(most)) {
                    return current;
                }
                reader = null;
                partition++;
            }
            return null;
        }
    }

    /** Merges all partitions, the smallest key first; of equal keys that of the first partition. */
    final class OfKeys implements MergeOrder {
        private final Owners owners;
        private final int partitions;
        private final PriorityQueue<MergeSource> others = new PriorityQueue<>();
        private @Nullable MergeSource smallest;
        private boolean started;

        OfKeys(Owners owners, int partitions) {
            this.owners = owners;
            this.partitions = partitions;
        }

        @Override
        public @Nullable MergeSource next(long most) throws InterruptedException {
            if (!started) {
                start();
            } else if (smallest != null) {
                step(smallest);
            }
            return smallest;
        }

        private void start() throws InterruptedException {
            for (int partition = 0; partition < partitions; partition++) {
                MergeSource reader = new MergeSource(owners.of(partition), partition);
                if (reader.advance(1)) {
                    others.add(reader);
                }
            }
            smallest = others.poll();
            started = true;
        }

        private void step(MergeSource reader) throws InterruptedException {
            if (!reader.advance(1)) {
                smallest = others.poll();
                return;
            }
            MergeSource next = others.peek();
            if (next != null && next.compareTo(reader) < 0) {
                others.add(reader);
                smallest = others.poll();
            }
        }
    }

    /** The rows of one partition: a view of some of them, one after another. */
    final class MergeSource implements Comparable<MergeSource> {
        private final ExchangeBuffer buffer;
        private final int partition;
        private RowBatch batch = new RowBatch();

        /** The index of the first row in its batch. */
        private int at;

        private int rows;
        private int from;
        private int to;

        MergeSource(ExchangeBuffer buffer, int partition) {
            this.buffer = buffer;
            this.partition = partition;
        }

        /**
         * Moves to the next rows, which are in one batch.
         *
         * @param most how many at most, at least 1
         * @return false if there is none
         */
        boolean advance(long most) throws InterruptedException {
            at += rows;
            from = to;
            rows = 0;
            while (at == batch.size()) {
                if (batch.last()) {
                    return false;
                }
                batch = buffer.take();
                at = 0;
                from = 0;
            }
            int left = batch.size() - at;
            rows = (int) Math.min(most, left);
            to = rows == left ? batch.end() : batch.end(from, rows);
            return true;
        }

        /** The number of rows. */
        int rows() {
            return rows;
        }

        <E extends Exception> void writeTo(RowOutput<E> out) throws E, InterruptedException {
            batch.writeTo(out, from, to, rows);
        }

        /** Compares single rows. */
        @Override
        public int compareTo(MergeSource other) {
            int order = Arrays.compareUnsigned(batch.key(at), other.batch.key(other.at));
            return order != 0 ? order : Integer.compare(partition, other.partition);
        }
    }
}
