package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Types of the inputs of a split, and their refusals. */
final class TypeSample {
    /** The weight of a blank in every collation. */
    static final byte[] BLANK = {2, 9};

    private TypeSample() {}

    /** Returns inputs of these types on MySQL, in a time zone where every timestamp has a different local time. */
    static TypeBinding of(Column... columns) {
        return on(ServerFlavor.MYSQL, true, columns);
    }

    /** Returns inputs of these types on that server. */
    static TypeBinding on(ServerFlavor flavor, boolean momentsAreLocal, Column... columns) {
        return on(flavor, new SessionTraits(momentsAreLocal, false, SessionTraits.DEFAULT_DIVIDED_DIGITS), columns);
    }

    /** Returns inputs of these types in that session. */
    static TypeBinding on(ServerFlavor flavor, SessionTraits session, Column... columns) {
        return new TypeBinding(
                List.of(columns),
                Sample.catalog(),
                (charset, collation) -> Optional.of(BLANK),
                new TypeBinding.ServerTraits(flavor, session));
    }

    /** Returns a computed input. */
    static Column computed(ColumnType type) {
        // a DOUBLE without a fixed number of digits has 31 decimals
        return Sample.column("x", type, 63, 20, 0, type == ColumnType.DOUBLE ? 31 : 0);
    }

    /** Returns an input that is a column of a table. */
    static Column ofTable(ColumnType type, int flags, int decimals) {
        return ofTable(type, 20, flags, decimals);
    }

    /** Returns a table column of this length. */
    static Column ofTable(ColumnType type, long length, int flags, int decimals) {
        int collation = type == ColumnType.STRING ? 45 : 63;
        return new Column("db", "t", "t", "x", "x", collation, length, type, flags, decimals);
    }

    static void assertRefused(Reason reason, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }
}
