package io.fanfold.inspect;

import io.fanfold.catalog.TableName;
import java.util.List;
import java.util.stream.Stream;

/**
 * All findings of one inspection of the server and the settings. Immutable.
 *
 * @param findings in the order of their output
 * @param tables the partitioned tables that the worker account sees, by name
 * @param reached whether the server was asked; false if it cannot be reached, refuses the worker account, or the
 *     settings switch every split off
 */
public record Inspection(List<Finding> findings, List<Table> tables, boolean reached) {
    /**
     * A table that may be split.
     *
     * @param name the table
     * @param partitions the number of its partitions, or of its subpartitions if it has any; 0 if it is split by ranges
     *     of a key
     * @param rows the server's estimate
     * @param settings the settings that apply to this table
     * @param obstacle why it is never split; "" if it may be
     */
    public record Table(TableName name, int partitions, long rows, String settings, String obstacle) {
        boolean splittable() {
            return obstacle.isEmpty();
        }
    }

    public Inspection {
        findings = List.copyOf(findings);
        tables = List.copyOf(tables);
    }

    /** The findings of a server that was asked. */
    Inspection(List<Finding> findings, List<Table> tables) {
        this(findings, tables, true);
    }

    /** The findings without a server. */
    static Inspection of(List<Finding> findings) {
        return new Inspection(findings, List.of(), false);
    }

    /** Returns this inspection with more findings. */
    public Inspection with(List<Finding> more) {
        return new Inspection(Stream.concat(findings.stream(), more.stream()).toList(), tables, reached);
    }

    /** Returns the findings of that severity. */
    public List<Finding> of(Finding.Severity severity) {
        return findings.stream()
                .filter(finding -> finding.severity() == severity)
                .toList();
    }

    /** Whether statements can be split. */
    public boolean splits() {
        return of(Finding.Severity.BLOCKS).isEmpty();
    }
}
