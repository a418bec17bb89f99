package io.fanfold.sql;

import java.nio.charset.Charset;

/**
 * The session settings that affect how a text is interpreted.
 *
 * @param mariaDb whether the server is MariaDB, which has other reserved words
 * @param ansiQuotes whether double quotes enclose identifiers
 * @param noBackslashEscapes whether the backslash is an ordinary character in strings
 * @param charset the character set of the client's bytes, one without 0x5c or 0x60 as trail bytes
 */
public record SqlDialect(boolean mariaDb, boolean ansiQuotes, boolean noBackslashEscapes, Charset charset) {}
