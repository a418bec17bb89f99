package io.fanfold.fuzz;

import io.fanfold.fuzz.Expr.Role;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Writes random expressions from the grammar. For one statement; not thread-safe. */
final class ExprWriter {
    private static final List<Family> PLAIN = List.of(
            Family.INT,
            Family.INT,
            Family.INT,
            Family.DEC,
            Family.DEC,
            Family.TEXT,
            Family.TEXT,
            Family.DATE,
            Family.DATETIME,
            Family.TIME,
            Family.BYTES,
            Family.DBL,
            Family.ODD);

    private final Grammar grammar;
    private final Dice dice;

    ExprWriter(Grammar grammar, Dice dice) {
        this.grammar = grammar;
        this.dice = dice;
    }

    /** Returns a family; common ones are more likely. */
    Family family() {
        return dice.oneOf(PLAIN);
    }

    /** Returns an expression of a family with at most {@code depth} nested calls; at 0 an operand. */
    Expr write(Family family, int depth, Leaves leaves) {
        List<Grammar.Production> lines = grammar.section(section(family));
        boolean condition = family == Family.BOOL;
        if (!lines.isEmpty() && (condition || depth > 0 && dice.percent(70))) {
            for (int attempt = 0; attempt < 20; attempt++) {
                Grammar.Production line = Grammar.oneOf(dice, lines);
                boolean nested = line.holes().contains("bool");
                if (depth > 0 && (!nested || depth > 1)) {
                    return fill(line, family, depth - 1, leaves);
                }
                if (!nested && line.holes().size() <= 4) {
                    return fill(line, family, 0, leaves);
                }
            }
        }
        return leaf(family, leaves);
    }

    private Expr leaf(Family family, Leaves leaves) {
        Optional<Expr> leaf = leaves.leaf(family);
        if (leaf.isPresent()) {
            return leaf.get();
        }
        return switch (family) {
            case INT, ODD -> literal("intlit");
            case DEC -> literal("declit");
            case DBL -> Expr.literal(Family.DBL, "2.5e0");
            case TEXT -> literal("textlit");
            case BYTES -> Expr.literal(Family.BYTES, "CAST('A' AS BINARY)");
            case DATE -> Expr.literal(Family.DATE, "DATE'2003-07-15'");
            case DATETIME -> Expr.literal(Family.DATETIME, "TIMESTAMP'2002-02-02 02:02:02'");
            case TIME -> Expr.literal(Family.TIME, "TIME'10:00:00'");
            case BOOL -> Expr.literal(Family.BOOL, "TRUE");
            case JSON -> Expr.literal(Family.JSON, "'{\"a\": 1}'");
        };
    }

    /** Writes a line of the grammar with operands in its holes. */
    Expr fill(Grammar.Production line, Family family, int depth, Leaves leaves) {
        List<SqlNode> children = new ArrayList<>();
        for (String hole : line.holes()) {
            children.add(operand(hole, depth, leaves));
        }
        return make(line, line.compares() ? Role.COMPARISON : Role.FUNCTION, family, children);
    }

    static Expr make(Grammar.Production line, Role role, Family family, List<SqlNode> children) {
        return new Expr(role, type(family, children, role), line.texts(), children, "");
    }

    private static ValueType type(Family family, List<SqlNode> children, Role role) {
        if (family == Family.INT && role == Role.AGGREGATE) {
            boolean shown = children.stream()
                    .allMatch(child -> child instanceof Expr expr && expr.type().clean());
            return new ValueType(Family.INT, "", shown);
        }
        if (family != Family.TEXT) {
            return ValueType.of(family);
        }
        Set<String> collations = new LinkedHashSet<>();
        boolean clean = role == Role.AGGREGATE;
        for (SqlNode child : children) {
            if (child instanceof Expr expr && expr.type().family() == Family.TEXT && expr.role() != Role.LITERAL) {
                collations.add(expr.type().collation());
                clean &= expr.type().clean();
            } else {
                clean &= role == Role.AGGREGATE;
            }
        }
        String collation = collations.isEmpty() ? "" : collations.iterator().next();
        return new ValueType(Family.TEXT, collations.size() > 1 ? ValueType.MIXED : collation, clean);
    }

    private Expr operand(String hole, int depth, Leaves leaves) {
        if (hole.endsWith("lit")) {
            return literal(hole);
        }
        return write(
                switch (hole) {
                    case "any" -> family();
                    case "num" -> dice.percent(60) ? Family.INT : Family.DEC;
                    default -> Family.valueOf(hole.toUpperCase(Locale.ROOT));
                },
                dice.percent(50) ? depth : 0,
                leaves);
    }

    private Expr literal(String section) {
        Family family = switch (section) {
            case "declit" -> Family.DEC;
            case "textlit", "patternlit" -> Family.TEXT;
            case "datelit" -> Family.DATE;
            case "timelit" -> Family.TIME;
            default -> Family.INT;
        };
        return Expr.literal(
                family, Grammar.oneOf(dice, grammar.section(section)).texts().get(0));
    }

    private static String section(Family family) {
        return family.name().toLowerCase(Locale.ROOT);
    }
}
