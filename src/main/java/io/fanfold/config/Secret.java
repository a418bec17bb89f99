package io.fanfold.config;

import java.util.Arrays;

/** A secret that never shows in a log or page: its text form is masked. Immutable. */
public final class Secret {
    public static final Secret EMPTY = new Secret("");

    private final char[] value;

    public Secret(String value) {
        this.value = value.toCharArray();
    }

    /** The secret itself, for the place that needs it. */
    public String reveal() {
        return new String(value);
    }

    public boolean isEmpty() {
        return value.length == 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Secret secret && Arrays.equals(value, secret.value);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(value);
    }

    @Override
    public String toString() {
        return isEmpty() ? "" : "***";
    }
}
