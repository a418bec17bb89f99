package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;

/** Refuses an unquoted name that is a reserved word, which the server would read as something else. Immutable. */
final class NameGuard {
    private final WordLists words;

    NameGuard(WordLists words) {
        this.words = words;
    }

    void check(Token token) throws RefusedException {
        if (token.kind() == Token.TokenKind.WORD && words.reserved(token.text())) {
            throw RefusedException.at(Reason.RESERVED_NAME, token.text(), token.start());
        }
    }
}
