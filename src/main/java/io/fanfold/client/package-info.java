/**
 * A blocking client of MySQL and MariaDB: connections, logins, statements and their replies.
 *
 * <p>Worker connections use it. The clients' own connections to the server are in {@code io.fanfold.session}.
 */
@NullMarked
package io.fanfold.client;

import org.jspecify.annotations.NullMarked;
