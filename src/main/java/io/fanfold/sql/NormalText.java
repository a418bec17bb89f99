package io.fanfold.sql;

import java.util.Arrays;

/**
 * All tokens of a block in their normalised form, see {@link TokenList#normalised}, so that the form of a part can be
 * cut out. Immutable.
 */
final class NormalText {
    private final String text;

    /** For each token, its start in the block's text. */
    private final int[] tokens;

    /** For each token, its start in the normalised text; at last that of a further one. */
    private final int[] starts;

    NormalText(TokenList list, WordLists words) {
        StringBuilder normalised = new StringBuilder();
        tokens = new int[list.size()];
        starts = new int[list.size() + 1];
        for (int i = 0; i < list.size(); i++) {
            tokens[i] = list.at(i).start();
            starts[i] = normalised.length();
            normalised.append(list.normalised(i, i + 1, words)).append(' ');
        }
        starts[list.size()] = normalised.length();
        text = normalised.toString();
    }

    /** Returns the tokens of a part, which starts and ends with a token, joined by one blank. */
    String of(TextRange part) {
        int from = index(part.start());
        int to = index(part.end());
        return from == to ? "" : text.substring(starts[from], starts[to] - 1);
    }

    /** Returns the index of the first token that starts at a position or after it. */
    private int index(int position) {
        int found = Arrays.binarySearch(tokens, position);
        return found < 0 ? -found - 1 : found;
    }
}
