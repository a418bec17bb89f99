package io.fanfold.sql;

import java.nio.charset.Charset;

/**
 * What of a session changes how a text is read.
 *
 * @param mariaDb whether the server is a MariaDB (other reserved words)
 * @param ansiQuotes whether double quotes enclose identifiers
 * @param noBackslashEscapes whether the backslash is an ordinary character in strings
 * @param charset the character set in which the client's bytes are decoded; one without 0x5c or 0x60 as trail bytes
 */
public record SqlDialect(boolean mariaDb, boolean ansiQuotes, boolean noBackslashEscapes, Charset charset) {}
