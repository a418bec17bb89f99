package io.fanfold.metrics;

/**
 * The meters as a monitoring system reads them.
 *
 * @param contentType names the format
 * @param body the text
 */
public record Exposition(String contentType, byte[] body) {}
