package io.fanfold.inspect;

import io.fanfold.catalog.TableName;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The privileges that SHOW GRANTS lists for the worker account. Privileges of an inactive role are missing; column
 * privileges do not count.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/9.7/en/show-grants.html">SHOW GRANTS</a>
 */
record Grants(List<Grant> entries) {
    private static final String ANY = "*";

    /**
     * One line of SHOW GRANTS.
     *
     * @param revoked whether it revokes privileges (MySQL's partial revokes)
     * @param schema a name, perhaps with wildcards, or {@code *}
     * @param table a name, or {@code *}
     */
    record Grant(boolean revoked, List<String> privileges, String schema, String table) {
        boolean names(String privilege) {
            return privileges.contains(privilege)
                    || privileges.contains("ALL PRIVILEGES")
                    || privileges.contains("ALL");
        }

        boolean covers(TableName name) {
            return coversSchema(name.schema()) && (table.equals(ANY) || table.equalsIgnoreCase(name.table()));
        }

        boolean coversSchema(String name) {
            return schema.equals(ANY) || like(schema, name);
        }
    }

    /** @param lines one for each row of SHOW GRANTS; lines of another form, such as those of roles, are skipped */
    static Grants read(List<String> lines) {
        List<Grant> entries = new ArrayList<>();
        for (String line : lines) {
            entry(line).ifPresent(entries::add);
        }
        return new Grants(List.copyOf(entries));
    }

    private static Optional<Grant> entry(String line) {
        boolean revoked = line.startsWith("REVOKE ");
        if (!revoked && !line.startsWith("GRANT ")) {
            return Optional.empty();
        }
        List<String> privileges = new ArrayList<>();
        int from = line.indexOf(' ') + 1;
        int depth = 0;
        int at = from;
        while (at < line.length() && (depth > 0 || !line.startsWith(" ON ", at))) {
            char c = line.charAt(at);
            if (c == '`' || c == '"') {
                at = end(line, at);
            } else {
                depth += c == '(' ? 1 : c == ')' ? -1 : 0;
                at++;
            }
            if (depth == 0 && (line.startsWith(",", at) || line.startsWith(" ON ", at))) {
                privileges.add(line.substring(from, at).trim().toUpperCase(Locale.ROOT));
                from = at + 1;
            }
        }
        // column privileges have a list of columns
        privileges.removeIf(privilege -> privilege.indexOf('(') >= 0);
        int schema = at + " ON ".length();
        if (line.startsWith("TABLE ", schema)) {
            schema += "TABLE ".length();
        }
        int dot = end(line, schema);
        int last = end(line, dot + 1);
        return line.startsWith(".", dot) && last > dot + 1
                ? Optional.of(new Grant(
                        revoked,
                        List.copyOf(privileges),
                        unquoted(line.substring(schema, dot)),
                        unquoted(line.substring(dot + 1, last))))
                : Optional.empty();
    }

    /** Returns the index after the quoted name or star that begins there; {@code start} if none begins there. */
    private static int end(String line, int start) {
        if (start >= line.length()) {
            return start;
        }
        char quote = line.charAt(start);
        if (quote == '*') {
            return start + 1;
        }
        if (quote != '`' && quote != '"') {
            return start;
        }
        int at = start + 1;
        while (at < line.length()) {
            if (line.charAt(at) != quote) {
                at++;
            } else if (at + 1 < line.length() && line.charAt(at + 1) == quote) {
                at += 2;
            } else {
                return at + 1;
            }
        }
        return at;
    }

    /** Whether the account has the privilege on this table. */
    boolean allows(String privilege, TableName table) {
        return allows(entries.stream().filter(entry -> entry.covers(table)).toList(), privilege);
    }

    /** Whether the account has the privilege on every table of the schema. */
    boolean allows(String privilege, String schema) {
        return allows(
                entries.stream()
                        .filter(entry -> entry.table().equals(ANY) && entry.coversSchema(schema))
                        .toList(),
                privilege);
    }

    private static boolean allows(List<Grant> covering, String privilege) {
        boolean revoked = covering.stream().anyMatch(entry -> entry.revoked() && entry.names(privilege));
        return covering.stream()
                .anyMatch(entry -> !entry.revoked()
                        && entry.names(privilege)
                        && !(revoked && entry.schema().equals(ANY)));
    }

    /** Whether the account has the privilege on anything. */
    boolean allowsAnywhere(String privilege) {
        return entries.stream().anyMatch(entry -> !entry.revoked() && entry.names(privilege));
    }

    private static String unquoted(String name) {
        if (name.equals(ANY)) {
            return ANY;
        }
        String quote = name.substring(0, 1);
        return name.substring(1, name.length() - 1).replace(quote + quote, quote);
    }

    /**
     * Whether a schema's name matches the pattern of a grant, as in LIKE. Ignores case, although the server may not.
     * Takes at most the product of both lengths.
     */
    private static boolean like(String pattern, String name) {
        boolean[] reached = new boolean[name.length() + 1];
        reached[0] = true;
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            boolean escaped = c == '\\' && i + 1 < pattern.length();
            if (escaped) {
                i++;
                c = pattern.charAt(i);
            }
            boolean[] next = new boolean[name.length() + 1];
            for (int at = 0; at <= name.length(); at++) {
                if (c == '%' && !escaped) {
                    next[at] = reached[at] || at > 0 && next[at - 1];
                } else {
                    next[at] = at > 0 && reached[at - 1] && (c == '_' && !escaped || same(c, name.charAt(at - 1)));
                }
            }
            reached = next;
        }
        return reached[name.length()];
    }

    private static boolean same(char first, char second) {
        return Character.toLowerCase(first) == Character.toLowerCase(second);
    }
}
