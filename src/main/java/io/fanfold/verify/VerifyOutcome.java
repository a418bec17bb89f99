package io.fanfold.verify;

import io.fanfold.metrics.VerifyResult;

/**
 * The result of a verification.
 *
 * @param why what was found, "" for the same answer
 * @param direct the digest of the server's answer, for people
 * @param nanos how long the server took for the statement
 */
public record VerifyOutcome(VerifyResult result, String why, String direct, long nanos) {}
