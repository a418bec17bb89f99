package io.fanfold.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The next smaller forms of a statement, largest reductions first. Each of them is strictly smaller. Stateless. */
final class Smaller {
    private Smaller() {}

    static List<Statement> of(Statement statement) {
        return statement instanceof Union union ? unions(union) : queries((Query) statement);
    }

    private static List<Statement> unions(Union union) {
        List<Statement> smaller = new ArrayList<>(union.parts());
        if (union.limit() != null) {
            smaller.add(union.unlimited());
        }
        if (union.ordered() > 0) {
            smaller.add(new Union(union.parts(), union.operator(), 0, union.limit()));
        }
        int columns = union.parts().get(0).items().size();
        for (int i = 0; i < columns && columns > 1; i++) {
            int dropped = i;
            List<Query> parts = union.parts().stream()
                    .map(part -> part.withItems(without(part.items(), dropped)))
                    .toList();
            smaller.add(new Union(parts, union.operator(), 0, union.limit()));
        }
        for (int i = 0; i < union.parts().size(); i++) {
            for (Statement part : queries(union.parts().get(i))) {
                if (part instanceof Query query) {
                    List<Query> parts = new ArrayList<>(union.parts());
                    parts.set(i, query);
                    smaller.add(new Union(parts, union.operator(), union.ordered(), union.limit()));
                }
            }
        }
        return smaller;
    }

    private static List<Statement> queries(Query query) {
        List<Statement> smaller = new ArrayList<>();
        clauses(query, smaller);
        lists(query, smaller);
        sources(query, smaller);
        expressions(query, smaller);
        return smaller;
    }

    private static void clauses(Query query, List<Statement> smaller) {
        for (Source source : query.sources()) {
            if (source.derived() != null) {
                smaller.add(source.derived());
            }
        }
        if (!query.where().isEmpty()) {
            smaller.add(query.withWhere(List.of()));
        }
        if (!query.having().isEmpty()) {
            smaller.add(query.withHaving(List.of()));
        }
        if (!query.window().isEmpty()) {
            smaller.add(query.withWindow(""));
        }
        if (query.limit() != null) {
            smaller.add(query.unlimited());
            if (query.limit().offset() >= 0) {
                smaller.add(query.withLimit(new Limit(query.limit().rows(), -1, false)));
            }
            if (!query.orders().isEmpty()) {
                smaller.add(query.withOrders(List.of()).unlimited());
            }
        }
        if (!query.orders().isEmpty()) {
            smaller.add(query.withOrders(List.of()));
        }
        if (!query.modifiers().isEmpty()) {
            smaller.add(query.withModifiers(List.of()));
        }
        if (query.rollup()) {
            smaller.add(query.withGroups(query.groups(), false));
        }
        if (query.distinct()) {
            smaller.add(query.withDistinct(false));
        }
    }

    private static void lists(Query query, List<Statement> smaller) {
        for (int i = 0; i < query.items().size() && query.items().size() > 1; i++) {
            smaller.add(query.withItems(without(query.items(), i)));
        }
        for (int i = 0; i < query.groups().size(); i++) {
            smaller.add(query.withGroups(
                    without(query.groups(), i), query.rollup() && query.groups().size() > 1));
            Term key = query.groups().get(i);
            List<Term> orders = query.orders().stream()
                    .filter(term -> !term.expr().same(key.expr()))
                    .toList();
            List<Item> items = query.items().stream()
                    .filter(item -> !item.expr().same(key.expr()))
                    .toList();
            if (!items.isEmpty() && !query.rollup()) {
                smaller.add(query.withGroups(without(query.groups(), i), false)
                        .withOrders(orders)
                        .withItems(items));
            }
        }
        for (int i = 0; i < query.orders().size(); i++) {
            smaller.add(query.withOrders(without(query.orders(), i)));
        }
        for (int i = 0; i < query.where().size() && query.where().size() > 1; i++) {
            smaller.add(query.withWhere(without(query.where(), i)));
        }
        for (int i = 0; i < query.having().size() && query.having().size() > 1; i++) {
            smaller.add(query.withHaving(without(query.having(), i)));
        }
    }

    private static void sources(Query query, List<Statement> smaller) {
        List<Source> sources = query.sources();
        for (int i = 0; i < sources.size() && sources.size() > 1; i++) {
            List<Source> fewer = new ArrayList<>(without(sources, i));
            fewer.set(0, fewer.get(0).joined("", List.of()));
            smaller.add(query.withSources(fewer));
        }
        for (int i = 0; i < sources.size(); i++) {
            Source source = sources.get(i);
            for (int j = 0; j < source.on().size() && source.on().size() > 1; j++) {
                smaller.add(query.withSources(
                        replaced(sources, i, source.joined(source.join(), without(source.on(), j)))));
            }
            if (source.derived() != null) {
                for (Statement inner : of(source.derived())) {
                    smaller.add(query.withSources(replaced(
                            sources,
                            i,
                            new Source(
                                    source.join(),
                                    source.name(),
                                    source.alias(),
                                    source.on(),
                                    inner,
                                    source.common(),
                                    source.unique()))));
                }
            }
        }
    }

    /** Makes an expression smaller in all its places, so that keys and references to them stay equal. */
    private static void expressions(Query query, List<Statement> smaller) {
        List<Expr> all = new ArrayList<>();
        query.items().forEach(item -> all.add(item.expr()));
        all.addAll(query.where());
        query.groups().forEach(term -> all.add(term.expr()));
        all.addAll(query.having());
        query.orders().forEach(term -> all.add(term.expr()));
        for (int i = 0; i < query.items().size(); i++) {
            Item item = query.items().get(i);
            if (!item.alias().isEmpty()) {
                smaller.add(query.withItems(replaced(query.items(), i, new Item(item.expr(), ""))));
            }
        }
        List<String> seen = new ArrayList<>();
        for (Expr expr : all) {
            if (!seen.contains(expr.identity())) {
                seen.add(expr.identity());
                for (Expr less : exprs(expr)) {
                    smaller.add(mapped(query, one -> one.same(expr) ? less : one));
                }
            }
        }
        for (int i = 0; i < query.orders().size(); i++) {
            Term term = query.orders().get(i);
            if (term.descending()) {
                smaller.add(query.withOrders(replaced(query.orders(), i, new Term(term.expr(), term.form(), false))));
            }
        }
    }

    private static Query mapped(Query query, Function<Expr, Expr> change) {
        return query.withItems(query.items().stream()
                        .map(item -> new Item(change.apply(item.expr()), item.alias()))
                        .toList())
                .withWhere(query.where().stream().map(change).toList())
                .withGroups(terms(query.groups(), change), query.rollup())
                .withHaving(query.having().stream().map(change).toList())
                .withOrders(terms(query.orders(), change));
    }

    private static List<Term> terms(List<Term> terms, Function<Expr, Expr> change) {
        return terms.stream()
                .map(term -> new Term(change.apply(term.expr()), term.form(), term.descending()))
                .toList();
    }

    /** Returns smaller forms of an expression: its operands, a literal, or one operand made smaller. */
    static List<Expr> exprs(Expr expr) {
        List<Expr> smaller = new ArrayList<>();
        for (SqlNode child : expr.children()) {
            if (child instanceof Expr operand && operand.role() != Expr.Role.LITERAL) {
                smaller.add(operand);
            }
        }
        Expr literal = literal(expr);
        if (literal != null) {
            smaller.add(literal);
        }
        for (int i = 0; i < expr.children().size(); i++) {
            if (expr.children().get(i) instanceof Expr operand) {
                for (Expr less : exprs(operand)) {
                    smaller.add(expr.withChild(i, less));
                }
            } else if (expr.children().get(i) instanceof Statement inner) {
                for (Statement less : of(inner)) {
                    smaller.add(expr.withChild(i, less));
                }
            }
        }
        return smaller;
    }

    private static @Nullable Expr literal(Expr expr) {
        if (expr.children().isEmpty() || expr.role() == Expr.Role.AGGREGATE) {
            return null;
        }
        return switch (expr.type().family()) {
            case INT, BOOL -> Expr.literal(expr.type().family(), "1");
            case TEXT -> Expr.literal(Family.TEXT, "'a'");
            case DEC -> Expr.literal(Family.DEC, "1.5");
            default -> null;
        };
    }

    private static <T> List<T> without(List<T> list, int index) {
        List<T> fewer = new ArrayList<>(list);
        fewer.remove(index);
        return fewer;
    }

    private static <T> List<T> replaced(List<T> list, int index, T element) {
        List<T> changed = new ArrayList<>(list);
        changed.set(index, element);
        return changed;
    }
}
