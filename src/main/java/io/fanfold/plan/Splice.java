package io.fanfold.plan;

import io.fanfold.sql.TextRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Replaces parts of a statement's text by references. For one expression, one thread. */
final class Splice {
    private record Replacement(TextRange span, List<Template.Piece> pieces) {}

    private final String sql;
    private final List<Replacement> replacements = new ArrayList<>();

    /** @param sql the text that spans index into */
    Splice(String sql) {
        this.sql = sql;
    }

    /** Whether a part is inside one that is replaced. */
    boolean covers(TextRange span) {
        return replacements.stream().anyMatch(replacement -> replacement.span().contains(span));
    }

    /** Replaces a part that is not inside {@linkplain #covers another one}. */
    void replace(TextRange span, List<Template.Piece> pieces) {
        replacements.add(new Replacement(span, pieces));
    }

    /** Returns the text of an expression with all replacements in it. */
    List<Template.Piece> pieces(TextRange span) {
        List<Template.Piece> pieces = new ArrayList<>();
        int at = span.start();
        List<Replacement> ordered = replacements.stream()
                .sorted(Comparator.comparingInt(
                        replacement -> replacement.span().start()))
                .toList();
        for (Replacement replacement : ordered) {
            if (replacement.span().start() > at) {
                pieces.add(
                        new Template.Text(sql.substring(at, replacement.span().start())));
            }
            pieces.addAll(replacement.pieces());
            at = replacement.span().end();
        }
        if (at < span.end()) {
            pieces.add(new Template.Text(sql.substring(at, span.end())));
        }
        return pieces;
    }
}
