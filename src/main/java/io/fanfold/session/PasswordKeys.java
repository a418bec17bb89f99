package io.fanfold.session;

import io.fanfold.tls.RsaKeys;
import io.fanfold.tls.TlsException;

/** Where the keys come from under which clients may encrypt passwords. */
@FunctionalInterface
public interface PasswordKeys {
    /** Making them may take a second; not for event loops. */
    RsaKeys get() throws TlsException;
}
