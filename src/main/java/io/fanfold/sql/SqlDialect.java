package io.fanfold.sql;

import io.fanfold.wire.ServerFlavor;
import java.nio.charset.Charset;

/**
 * The session settings that affect how a text is interpreted.
 *
 * @param flavor which server this is
 * @param ansiQuotes whether double quotes enclose identifiers
 * @param noBackslashEscapes whether the backslash is an ordinary character in strings
 * @param charset the character set of the client's bytes, one without 0x5c or 0x60 as trail bytes
 */
public record SqlDialect(ServerFlavor flavor, boolean ansiQuotes, boolean noBackslashEscapes, Charset charset) {}
