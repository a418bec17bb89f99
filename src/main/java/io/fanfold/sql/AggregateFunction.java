package io.fanfold.sql;

/** The supported aggregate functions; the reader refuses all others. */
public enum AggregateFunction {
    COUNT,
    SUM,
    MIN,
    MAX,
    AVG,
    BIT_AND,
    BIT_OR,
    BIT_XOR,
    /** One of the values; not an aggregate if nothing else groups. */
    ANY_VALUE,
    /** Also called VARIANCE. */
    VAR_POP,
    VAR_SAMP,
    /** Also called STD and STDDEV. */
    STDDEV_POP,
    STDDEV_SAMP,
    /** Has no merge rule, like the next two. */
    GROUP_CONCAT,
    JSON_ARRAYAGG,
    JSON_OBJECTAGG;

    /** Whether the result does not depend on the order of the rows. */
    public boolean exact() {
        return switch (this) {
            case COUNT, SUM, MIN, MAX, AVG, BIT_AND, BIT_OR, BIT_XOR -> true;
            case ANY_VALUE, VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP, GROUP_CONCAT, JSON_ARRAYAGG, JSON_OBJECTAGG ->
                false;
        };
    }

    /** Whether it chooses one of the values: DISTINCT changes nothing. */
    public boolean minOrMax() {
        return this == MIN || this == MAX;
    }

    /** Whether it combines the bits of numbers. */
    public boolean bits() {
        return this == BIT_AND || this == BIT_OR || this == BIT_XOR;
    }

    /** Whether its values become JSON values. */
    public boolean json() {
        return this == JSON_ARRAYAGG || this == JSON_OBJECTAGG;
    }

    /** Whether it sums numbers. */
    public boolean sums() {
        return this == SUM || this == AVG;
    }

    /** Whether it is a variance or a standard deviation. */
    public boolean variance() {
        return this == VAR_POP || this == VAR_SAMP || this == STDDEV_POP || this == STDDEV_SAMP;
    }

    /** Whether it concatenates the values of a group. */
    public boolean joins() {
        return this == GROUP_CONCAT || json();
    }
}
