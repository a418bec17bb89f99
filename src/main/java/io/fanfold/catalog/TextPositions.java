package io.fanfold.catalog;

import java.math.BigInteger;
import java.util.Locale;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/**
 * The positions of texts under a collation: the first characters of a text are the digits of a number. Only some
 * characters are digits. Their order, and that a text comes before its continuations, is the same under each of the
 * collations that have positions here. So literals made from these characters have the order of their positions.
 *
 * <p>A character that is no digit counts as the digit before it, so a position is only near its text. Immutable.
 *
 * @param collation the name of a collation that {@link #of} accepts
 */
record TextPositions(String collation) {
    /** Characters in the order of their codes, which is that of every binary collation. */
    private static final String CODES = "-.0123456789:ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

    /** Characters of which no two are equal without regard to case, in their order under all other collations here. */
    private static final String LETTERS = "-0123456789abcdefghijklmnopqrstuvwxyz";

    /** Collations without rules for single languages: these sort letters in other places, for example ch after h. */
    private static final Pattern KNOWN = Pattern.compile("bin|nopad_bin|0900_bin|swedish_ci|nopad_swedish_ci"
            + "|(?:general|unicode|unicode_520|0900|uca1400)(?:_nopad)?(?:_ai|_as)?_c[is]");

    /** The characters of a text that count. Identifiers often begin with the same ones. */
    private static final int PLACES = 32;

    /** Returns the positions under a collation; empty if the order of its characters is not known. */
    static Optional<TextPositions> of(String collation) {
        String name = collation.toLowerCase(Locale.ROOT);
        int end = name.indexOf('_');
        String sorting = name.substring(end + 1);
        // swedish_ci is the order of latin1 without a language; of other character sets it is Swedish
        boolean swedish = sorting.contains("swedish") && !name.startsWith("latin1_");
        return end > 0 && !swedish && KNOWN.matcher(sorting).matches()
                ? Optional.of(new TextPositions(name))
                : Optional.empty();
    }

    private boolean byCode() {
        return collation.endsWith("_bin");
    }

    private String digits() {
        return byCode() ? CODES : LETTERS;
    }

    /** Returns the position of a text, at least 0. */
    BigInteger position(String text) {
        String cased = byCode() ? text : text.toLowerCase(Locale.ROOT);
        BigInteger base = BigInteger.valueOf(digits().length() + 1L);
        BigInteger position = BigInteger.ZERO;
        for (int i = 0; i < PLACES; i++) {
            int digit = i < cased.length() ? digit(cased.charAt(i)) : 0;
            position = position.multiply(base).add(BigInteger.valueOf(digit));
        }
        return position;
    }

    /** Returns the number of characters up to this one; 0 for one before all of them, and for the end of a text. */
    private int digit(char character) {
        int digit = 0;
        while (digit < digits().length() && digits().charAt(digit) <= character) {
            digit++;
        }
        return digit;
    }

    /** Returns the literal of a position, or of the nearest one that there is. A text ends at the first digit 0. */
    String literal(BigInteger position) {
        BigInteger base = BigInteger.valueOf(digits().length() + 1L);
        BigInteger left = position.max(BigInteger.ZERO).min(base.pow(PLACES).subtract(BigInteger.ONE));
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < PLACES; i++) {
            BigInteger[] parts = left.divideAndRemainder(base.pow(PLACES - 1 - i));
            if (parts[0].signum() == 0) {
                break;
            }
            text.append(digits().charAt(parts[0].intValueExact() - 1));
            left = parts[1];
        }
        return "'" + text + "'";
    }

    /**
     * Returns a condition that is true if a server orders the characters as this class does. It is asked before the
     * first use of a collation.
     */
    String proof() {
        StringJoiner proof = new StringJoiner(" AND ");
        proof.add(before("", "z")).add(before("a", "a-")).add(before("az", "b"));
        for (int i = 1; i < digits().length(); i++) {
            proof.add(before("h" + digits().charAt(i - 1), "h" + digits().charAt(i)));
        }
        return proof.toString();
    }

    private String before(String less, String more) {
        return collated(less) + " < " + collated(more);
    }

    private String collated(String text) {
        return "CONVERT('" + text + "' USING " + collation.substring(0, collation.indexOf('_')) + ") COLLATE "
                + collation;
    }
}
