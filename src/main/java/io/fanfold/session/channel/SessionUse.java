package io.fanfold.session.channel;

/** What a session is used for at one moment, as far as the proxy can see. */
public enum SessionUse {
    LOGIN("in their login"),
    IDLE("idle"),
    STATEMENT("with a running statement"),
    /** The fan-out, or what comes before it. If it is cancelled, the client gets an error. */
    FAN_OUT("with a fan-out"),
    TRANSACTION("in a transaction"),
    CURSOR("with an open cursor"),
    /** The client encrypts all the way to the server, so nothing is known. */
    ENCRYPTED("encrypted up to the server"),
    ENDED("ended");

    private final String words;

    SessionUse(String words) {
        this.words = words;
    }

    /** The words after a number of clients. */
    public String words() {
        return words;
    }
}
