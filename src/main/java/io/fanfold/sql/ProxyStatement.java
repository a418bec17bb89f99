package io.fanfold.sql;

import java.util.Optional;

/**
 * A statement for Fanfold itself, which no server knows. Works for every character set in which the bytes below 0x80 are
 * ASCII. Immutable.
 */
public sealed interface ProxyStatement {
    /** The forms of an explanation. */
    enum Format {
        /** Rows of two columns, for people. */
        TABLE,
        /** One JSON document, for programs. */
        JSON
    }

    /**
     * {@code EXPLAIN FORMAT=FANFOLD SELECT …}; with {@code ANALYZE} before or in place of EXPLAIN, the statement runs.
     *
     * @param analyze whether the statement runs
     * @param explained the index of the first byte of the statement that is explained, after blanks
     */
    record Explain(boolean analyze, Format format, int explained) implements ProxyStatement {}

    /**
     * {@code SHOW FANFOLD …}.
     *
     * @param rest the text after these two words, without blanks around it
     */
    record Show(String rest) implements ProxyStatement {}

    /**
     * {@code SET FANFOLD …}.
     *
     * @param rest the text after these two words, without blanks around it
     */
    record SetVariable(String rest) implements ProxyStatement {}

    /**
     * {@code RELOAD FANFOLD}.
     *
     * @param rest the text after these two words, without blanks around it
     */
    record Reload(String rest) implements ProxyStatement {}

    /**
     * {@code PURGE FANFOLD …}.
     *
     * @param rest the text after these two words, without blanks around it
     */
    record Purge(String rest) implements ProxyStatement {}

    /**
     * Recognizes a statement by its first words, in any case, with blanks and comments between them.
     *
     * @param bytes contains the statement's text as the client sent it
     * @param offset the start of the text
     * @param length the number of bytes of the text
     */
    static Optional<ProxyStatement> of(byte[] bytes, int offset, int length) {
        FirstWords words = new FirstWords(bytes, offset, offset + length);
        if (words.take("show")) {
            return words.take("fanfold") ? Optional.of(new Show(words.rest())) : Optional.empty();
        }
        if (words.take("set")) {
            return words.take("fanfold") ? Optional.of(new SetVariable(words.rest())) : Optional.empty();
        }
        if (words.take("reload")) {
            return words.take("fanfold") ? Optional.of(new Reload(words.rest())) : Optional.empty();
        }
        if (words.take("purge")) {
            return words.take("fanfold") ? Optional.of(new Purge(words.rest())) : Optional.empty();
        }
        boolean explain = words.take("explain") || words.take("desc") || words.take("describe");
        boolean analyze = words.take("analyze");
        if (!explain && !analyze || !words.take("format") || !words.takeEqualsSign()) {
            return Optional.empty();
        }
        if (words.take("fanfold")) {
            return Optional.of(new Explain(analyze, Format.TABLE, words.at()));
        }
        return words.take("fanfold_json")
                ? Optional.of(new Explain(analyze, Format.JSON, words.at()))
                : Optional.empty();
    }
}
