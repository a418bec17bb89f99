package io.fanfold.operator;

import java.util.Arrays;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** The order in which a {@link Exchange} takes rows from its queues. For one thread. */
interface MergeOrder {

    /** Finds the queue of a partition's rows; waits until a thread has started the partition. */
    interface Owners {
        ExchangeBuffer of(int partition) throws InterruptedException;
    }

    /** Returns the payload of the next row, waiting for it; null after the last one. */
    byte @Nullable [] next() throws InterruptedException;

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
        public byte @Nullable [] next() throws InterruptedException {
            while (partition < partitions) {
                MergeSource current = reader;
                if (current == null) {
                    current = new MergeSource(owners.of(partition), partition);
                    reader = current;
                }
                if (current.advance()) {
                    return current.payload();
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
        public byte @Nullable [] next() throws InterruptedException {
            if (!started) {
                start();
            } else if (smallest != null) {
                step(smallest);
            }
            MergeSource reader = smallest;
            return reader == null ? null : reader.payload();
        }

        private void start() throws InterruptedException {
            for (int partition = 0; partition < partitions; partition++) {
                MergeSource reader = new MergeSource(owners.of(partition), partition);
                if (reader.advance()) {
                    others.add(reader);
                }
            }
            smallest = others.poll();
            started = true;
        }

        private void step(MergeSource reader) throws InterruptedException {
            if (!reader.advance()) {
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

    /** The rows of one partition. */
    final class MergeSource implements Comparable<MergeSource> {
        private final ExchangeBuffer queue;
        private final int partition;
        private RowBatch batch = new RowBatch();
        private int at = -1;

        MergeSource(ExchangeBuffer queue, int partition) {
            this.queue = queue;
            this.partition = partition;
        }

        /** Moves to the next row; false if there is none. */
        boolean advance() throws InterruptedException {
            at++;
            while (at >= batch.size()) {
                if (batch.last()) {
                    return false;
                }
                batch = queue.take();
                at = 0;
            }
            return true;
        }

        byte[] payload() {
            return batch.payload(at);
        }

        @Override
        public int compareTo(MergeSource other) {
            int order = Arrays.compareUnsigned(batch.key(at), other.batch.key(other.at));
            return order != 0 ? order : Integer.compare(partition, other.partition);
        }
    }
}
