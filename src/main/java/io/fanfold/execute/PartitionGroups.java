package io.fanfold.execute;

import io.fanfold.catalog.PartitionedTable.Partition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Which partitions one query reads. Without state. */
final class PartitionGroups {
    private PartitionGroups() {}

    /** One partition each, in the order of the server. */
    static List<List<Partition>> single(List<Partition> partitions, List<Partition> order) {
        return partitions.stream()
                .sorted(Comparator.comparingInt(order::indexOf))
                .map(List::of)
                .toList();
    }

    /**
     * Groups of about the same size.
     *
     * @param partitions the largest first, not fewer than {@code groups}
     * @param order all partitions as the server orders them, which is the order inside a group
     */
    static List<List<Partition>> balanced(List<Partition> partitions, List<Partition> order, int groups) {
        List<List<Partition>> lists = new ArrayList<>();
        long[] rows = new long[groups];
        for (int i = 0; i < groups; i++) {
            lists.add(new ArrayList<>());
        }
        for (Partition partition : partitions) {
            int smallest = 0;
            for (int i = 1; i < groups; i++) {
                // empty partitions are spread too, so that no group is without any
                boolean fewer = lists.get(i).size() < lists.get(smallest).size();
                smallest = rows[i] < rows[smallest] || rows[i] == rows[smallest] && fewer ? i : smallest;
            }
            lists.get(smallest).add(partition);
            rows[smallest] += partition.estimatedRows();
        }
        lists.forEach(list -> list.sort(Comparator.comparingInt(order::indexOf)));
        return lists;
    }
}
