package io.fanfold.config;

import java.util.Arrays;

/** A secret that is masked in logs and pages. Immutable. */
public final class Secret {
    public static final Secret EMPTY = new Secret("");

    private final char[] value;

    public Secret(String value) {
        this.value = value.toCharArray();
    }

    /** Returns the secret in plain text. */
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
