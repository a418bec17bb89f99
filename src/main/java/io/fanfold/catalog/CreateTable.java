package io.fanfold.catalog;

import io.fanfold.catalog.CreateTableFacts.NameKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parses the text of SHOW CREATE TABLE. Only words outside parentheses, strings, quoted names and plain comments are
 * used. The contents of version comments, in which MySQL writes partitions, are used too.
 */
public final class CreateTable {
    private static final Set<String> KINDS = Set.of("table", "view", "sequence");

    private final String text;
    private final List<String> words = new ArrayList<>();
    private int at;
    private int depth;
    private boolean broken;

    /** The last two words inside the outer parentheses, in lower case; names, strings and signs are empty words. */
    private String wordBefore = "";

    private String lastWord = "";

    private final List<String> primaryKey = new ArrayList<>();
    private boolean inPrimaryKey;

    /** Whether the primary key has a part that is not a whole column. */
    private boolean partOfColumn;

    /** The start of the partitioning expression; -1 outside it. */
    private int expressionAt = -1;

    private @Nullable Partitioning partitioning;

    /** The position after the partitioning expression; 0 until it is known. */
    private int definitionsAt;

    private CreateTable(String text) {
        this.text = text;
    }

    /**
     * Parses a text.
     *
     * @param showCreateTableText the second column of the result of SHOW CREATE TABLE
     * @return the facts; of kind {@link NameKind#UNKNOWN} if the text is not understood
     */
    public static CreateTableFacts read(String showCreateTableText) {
        CreateTable reader = new CreateTable(showCreateTableText);
        reader.tokenize();
        return reader.facts();
    }

    private CreateTableFacts facts() {
        NameKind kind = broken || depth != 0 ? NameKind.UNKNOWN : kind();
        Optional<Partitioning> known =
                words.contains("subpartition") ? Optional.empty() : Optional.ofNullable(partitioning);
        return new CreateTableFacts(
                kind,
                kind == NameKind.VIEW ? Optional.empty() : engine(),
                pair("partition", "by"),
                known,
                known.flatMap(by -> PartitionScheme.read(by, text.substring(definitionsAt), engine().orElse(""))),
                pair("system", "versioning"),
                partOfColumn ? List.of() : primaryKey);
    }

    private NameKind kind() {
        if (words.isEmpty() || !words.get(0).equals("create")) {
            return NameKind.UNKNOWN;
        }
        String what = words.stream().filter(KINDS::contains).findFirst().orElse("");
        return switch (what) {
            case "view" -> NameKind.VIEW;
            case "sequence" -> NameKind.SEQUENCE;
            case "table" -> {
                if (option("sequence").filter("1"::equals).isPresent()) {
                    yield NameKind.SEQUENCE;
                }
                yield words.get(1).equals("temporary") ? NameKind.TEMPORARY_TABLE : NameKind.BASE_TABLE;
            }
            default -> NameKind.UNKNOWN;
        };
    }

    private Optional<String> engine() {
        return option("engine");
    }

    /** Returns the word after {@code name =}, as written. */
    private Optional<String> option(String name) {
        for (int i = 0; i + 2 < words.size(); i++) {
            if (words.get(i).equals(name) && words.get(i + 1).equals("=")) {
                return Optional.of(words.get(i + 2));
            }
        }
        return Optional.empty();
    }

    private boolean pair(String first, String second) {
        for (int i = 0; i + 1 < words.size(); i++) {
            if (words.get(i).equals(first) && words.get(i + 1).equals(second)) {
                return true;
            }
        }
        return false;
    }

    private void tokenize() {
        while (at < text.length() && !broken) {
            char c = text.charAt(at);
            if (c == '\'' || c == '"' || c == '`') {
                quoted(c);
            } else if (c == '/' && text.startsWith("/*", at)) {
                comment();
            } else if (c == '*' && text.startsWith("*/", at)) {
                at += 2;
            } else if (Character.isLetterOrDigit(c) || c == '_') {
                word();
            } else {
                if (c == '(' && depth == 0 && partitioning == null && pair("partition", "by")) {
                    expressionAt = at + 1;
                }
                followPrimaryKey(c);
                depth += c == '(' ? 1 : c == ')' ? -1 : 0;
                if (c == ')' && depth == 0 && expressionAt >= 0) {
                    partitioning = new Partitioning(
                            String.join(" ", words.subList(words.lastIndexOf("by") + 1, words.size())),
                            text.substring(expressionAt, at));
                    expressionAt = -1;
                    definitionsAt = at + 1;
                }
                if (c == '=' && depth == 0) {
                    words.add("=");
                }
                at++;
            }
        }
    }

    /** Notes where the list of the primary key's columns begins and ends. The sign has not been counted in the depth yet. */
    private void followPrimaryKey(char sign) {
        if (inPrimaryKey && depth == 2 && sign == ')') {
            inPrimaryKey = false;
        } else if (inPrimaryKey) {
            // a prefix of a column
            partOfColumn |= sign == '(';
        } else {
            inPrimaryKey = sign == '(' && depth == 1 && wordBefore.equals("primary") && lastWord.equals("key");
        }
        if (sign != ' ') {
            innerWord("");
        }
    }

    private void innerWord(String word) {
        if (depth == 1) {
            wordBefore = lastWord;
            lastWord = word;
        }
    }

    /** Skips a string or quoted name. Adds a placeholder, so that the words around it do not become neighbours. */
    private void quoted(char quote) {
        int i = at + 1;
        while (i < text.length()) {
            char c = text.charAt(i);
            if (c == '\\' && quote != '`') {
                i += 2;
            } else if (c == quote && i + 1 < text.length() && text.charAt(i + 1) == quote) {
                i += 2;
            } else if (c == quote) {
                if (inPrimaryKey) {
                    primaryKey.add(text.substring(at + 1, i).replace("" + quote + quote, "" + quote));
                }
                innerWord("");
                at = i + 1;
                if (depth == 0) {
                    words.add("''");
                }
                return;
            } else {
                i++;
            }
        }
        broken = true;
    }

    private void comment() {
        if (text.startsWith("/*!", at) || text.startsWith("/*M!", at)) {
            at = text.indexOf('!', at) + 1;
            while (at < text.length() && Character.isDigit(text.charAt(at))) {
                at++;
            }
            return;
        }
        int close = text.indexOf("*/", at + 2);
        broken = close < 0;
        at = close + 2;
    }

    private void word() {
        int start = at;
        while (at < text.length() && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '_')) {
            at++;
        }
        String word = text.substring(start, at);
        String lower = word.toLowerCase(Locale.ROOT);
        if (depth == 0) {
            boolean value = !words.isEmpty() && words.get(words.size() - 1).equals("=");
            words.add(value ? word : lower);
        }
        innerWord(lower);
        // anything else would be a name without quotes, or a key whose columns alone are not unique
        partOfColumn |= inPrimaryKey && !lower.equals("desc");
    }
}
