package io.fanfold.reason;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Helps tests to check refusals. */
public final class Refusals {
    private Refusals() {}

    /** Runs code that must end with a refusal, and returns the refusal. */
    public static Refusal refusalOf(ThrowingCallable code) {
        return Objects.requireNonNull(catchThrowableOfType(RefusedException.class, code), "nothing was refused")
                .refusal();
    }
}
