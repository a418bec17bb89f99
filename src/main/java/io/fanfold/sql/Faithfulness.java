package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Proves that the parser saw the same tokens as the server, and that its tree contains all of them. Stateless. */
final class Faithfulness {
    /** The dialect of the parser's output, in which the mask has left no quotes and backslashes of the original. */
    private static final SqlDialect PRINTED = new SqlDialect(ServerFlavor.MYSQL, false, false, StandardCharsets.UTF_8);

    private Faithfulness() {}

    static void check(TokenList list, String masked, ParserRun run) throws RefusedException {
        align(list, run.spans());
        TokenList before = MySqlLexer.lex(masked, PRINTED);
        TokenList after;
        try {
            after = MySqlLexer.lex(run.select().toString(), PRINTED);
        } catch (RefusedException e) {
            throw new RefusedException(Reason.NOT_FAITHFUL, "printed again, the text holds " + e.getMessage());
        }
        if (before.size() != after.size()) {
            throw new RefusedException(
                    Reason.NOT_FAITHFUL,
                    "printed again, the text has " + after.size() + " tokens for " + before.size());
        }
        for (int i = 0; i < before.size(); i++) {
            if (!same(before.at(i), after.at(i))) {
                throw RefusedException.at(
                        Reason.NOT_FAITHFUL,
                        before.at(i).text() + " printed as " + after.at(i).text(),
                        before.at(i).start());
            }
        }
    }

    private static boolean same(Token a, Token b) {
        return a.kind() == b.kind()
                && (a.kind() == Token.TokenKind.NAME
                        ? a.text().equalsIgnoreCase(b.text())
                        : a.text().equals(b.text()));
    }

    /**
     * Requires that the parser's tokens start and end at boundaries of our tokens, and that none of ours is skipped.
     */
    private static void align(TokenList list, List<TextRange> spans) throws RefusedException {
        int next = 0;
        for (TextRange span : spans) {
            if (list.startingAt(span.start()) != next) {
                throw RefusedException.at(Reason.NOT_FAITHFUL, "the parser's token starts elsewhere", span.start());
            }
            next = list.endingBy(span.end());
            if (list.at(next - 1).end() != span.end()) {
                throw RefusedException.at(Reason.NOT_FAITHFUL, "the parser's token ends elsewhere", span.end());
            }
        }
        if (next != list.size()) {
            throw RefusedException.at(
                    Reason.NOT_FAITHFUL,
                    "the parser stopped before the end",
                    list.at(next).start());
        }
    }
}
