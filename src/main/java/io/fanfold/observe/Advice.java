package io.fanfold.observe;

import java.util.List;

/**
 * What could be changed so that more statements are split, or faster. Immutable.
 *
 * @param reason the label of the reason that it concerns
 * @param nanos the time of the statements that it concerns
 * @param sentence the fact that stands in the way
 * @param remedies alternatives: a statement to run, or a setting to change
 */
record Advice(String reason, long nanos, String sentence, List<String> remedies) {
    Advice {
        remedies = List.copyOf(remedies);
    }
}
