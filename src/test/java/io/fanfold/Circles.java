package io.fanfold;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Finds cycles: groups of top-level classes of one package that all depend on each other, directly or not. */
final class Circles {
    private final Map<JavaClass, Set<JavaClass>> edges;
    private final Map<JavaClass, Integer> index = new HashMap<>();
    private final Map<JavaClass, Integer> low = new HashMap<>();
    private final Deque<JavaClass> stack = new ArrayDeque<>();
    private final List<List<JavaClass>> found = new ArrayList<>();

    private Circles(Map<JavaClass, Set<JavaClass>> edges) {
        this.edges = edges;
    }

    /** Returns the cycles of more than one class. A nested class counts as its top-level class. */
    static List<List<JavaClass>> of(JavaClasses classes) {
        Map<String, JavaClass> tops = new TreeMap<>();
        Map<JavaClass, Set<JavaClass>> edges = new HashMap<>();
        for (JavaClass type : classes) {
            JavaClass top = top(type);
            tops.put(top.getName(), top);
            Set<JavaClass> others = edges.computeIfAbsent(top, key -> new HashSet<>());
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass other = top(dependency.getTargetClass().getBaseComponentType());
                if (!other.equals(top) && other.getPackageName().equals(top.getPackageName())) {
                    others.add(other);
                }
            }
        }
        Circles circles = new Circles(edges);
        for (JavaClass top : tops.values()) {
            if (!circles.index.containsKey(top)) {
                circles.visit(top);
            }
        }
        return circles.found;
    }

    private static JavaClass top(JavaClass type) {
        JavaClass top = type;
        while (top.getEnclosingClass().isPresent()) {
            top = top.getEnclosingClass().get();
        }
        return top;
    }

    /** Tarjan's algorithm for strongly connected components. */
    private void visit(JavaClass type) {
        int number = index.size();
        index.put(type, number);
        low.put(type, number);
        stack.push(type);
        for (JavaClass other : edges.getOrDefault(type, Set.of())) {
            if (!index.containsKey(other)) {
                visit(other);
                low.merge(type, low.getOrDefault(other, number), Math::min);
            } else if (stack.contains(other)) {
                low.merge(type, index.getOrDefault(other, number), Math::min);
            }
        }
        if (number == low.getOrDefault(type, number)) {
            List<JavaClass> circle = new ArrayList<>();
            JavaClass member;
            do {
                member = stack.pop();
                circle.add(member);
            } while (!member.equals(type));
            if (circle.size() > 1) {
                found.add(circle);
            }
        }
    }
}
