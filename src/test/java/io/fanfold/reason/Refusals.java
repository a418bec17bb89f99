package io.fanfold.reason;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Reads refusals in tests. */
public final class Refusals {
    private Refusals() {}

    /** Runs code that must end with a refusal, and returns it. */
    public static Refusal refusalOf(ThrowingCallable code) {
        return Objects.requireNonNull(catchThrowableOfType(RefusedException.class, code), "nothing was refused")
                .refusal();
    }
}
