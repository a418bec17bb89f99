package io.fanfold.metrics;

/**
 * What the verification of an answer has shown.
 *
 * @param directNanos how long the server took for the statement; 0 if it did not answer
 */
public record VerifyReport(VerifyResult result, long directNanos) {}
