package io.fanfold.session.handshake;

import io.fanfold.tls.RsaKeys;
import io.fanfold.tls.TlsException;

/** Provides the keys under which clients may encrypt passwords. */
@FunctionalInterface
public interface PasswordKeys {
    /** Creating them may take a second; not for event loops. */
    RsaKeys get() throws TlsException;
}
