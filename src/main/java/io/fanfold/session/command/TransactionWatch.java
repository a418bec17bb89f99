package io.fanfold.session.command;

import io.fanfold.execute.FreshTransaction;
import io.fanfold.execute.OpenTransaction;
import io.fanfold.execute.TransactionPlace;
import io.fanfold.session.channel.QueryText;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PacketRole;
import io.fanfold.wire.ServerStatus;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the transaction of a session, to decide whether its statements may be split and whether it has done nothing
 * yet. With autocommit off, the server's status flags show that no transaction is open. After BEGIN, nothing has been
 * done until the next command. {@code SET TRANSACTION} may set characteristics of only the next transaction, which no
 * variable shows. After it the state is unsure until a transaction has ended. Event loop only.
 */
final class TransactionWatch {
    private static final Map<String, FreshTransaction> BEGINNINGS = Map.of(
            "begin", FreshTransaction.BEGUN,
            "begin work", FreshTransaction.BEGUN,
            "start transaction", FreshTransaction.BEGUN,
            "start transaction read only", FreshTransaction.READ_ONLY,
            "start transaction read write", FreshTransaction.READ_WRITE);

    /** The longest text in bytes that may begin a transaction. */
    private static final int LONGEST_BEGINNING = 64;

    private static final Pattern BLANKS = Pattern.compile("[\\s;]+");

    /**
     * SET TRANSACTION without a scope. With a scope it sets the characteristics of all transactions, which variables
     * show.
     */
    private static final Pattern FOR_THE_NEXT = Pattern.compile(
            "^set\\s+transaction\\b|^set\\s(?!\\s*(session|local|global)\\s)"
                    + ".*\\b(transaction|tx)_(isolation|read_only)`?\\s*:?=",
            Pattern.DOTALL);

    /**
     * Statements that may run any other statement, including MariaDB's compound statements. Also SAVEPOINT: a
     * transaction that is begun again would lose the savepoint.
     */
    private static final Pattern ANY =
            Pattern.compile("^(call|execute|begin|if|case|loop|while|repeat|for|declare|savepoint)\\b", Pattern.DOTALL);

    /** Statements that take table locks, which START TRANSACTION would release. */
    private static final Pattern LOCKING = Pattern.compile("^(lock|flush)\\b");

    /** A command of the client that was sent to the server. It has only its identity. */
    static final class SentCommand {}

    private final long capabilities;

    /** The transaction that the last command begins; null if it begins none. */
    private @Nullable FreshTransaction begins;

    /** The command whose response shows whether it was begun; null for none. */
    private @Nullable SentCommand beginning;

    private boolean begun;
    private boolean unsure;

    /** Whether a statement that makes the state unsure was prepared: any execution may be of it. */
    private boolean prepared;

    /** The last command that made the state unsure; null for none. */
    private @Nullable SentCommand doubtful;

    private boolean locked;
    private boolean open;

    /**
     * Whether the last response was an error. An error packet has no status flags, and the statement may have begun a
     * transaction.
     */
    private boolean unreported;

    /**
     * The last statement that may run a stored program; null for none. A program may begin a transaction even with
     * autocommit on.
     */
    private @Nullable SentCommand program;

    /** Whether such a statement has failed since the last status flags. */
    private boolean hidden;

    /** The transaction whose first statement was offered, until it ends; null for none. */
    private @Nullable OpenTransaction current;

    TransactionWatch(long capabilities) {
        this.capabilities = capabilities;
    }

    /**
     * A command of the client is sent to the server.
     *
     * @param payload whole, or its first bytes
     * @return the command, for {@link #received}
     */
    SentCommand sent(byte[] payload, int code) {
        SentCommand command = new SentCommand();
        begins = null;
        begun = false;
        beginning = null;
        boolean doubt = switch (code) {
            case CommandCode.QUERY -> query(payload, QueryText.offset(payload, capabilities), command);
            case CommandCode.STMT_PREPARE -> looksDoubtful(payload, QueryText.begin(payload, 1));
            case CommandCode.STMT_EXECUTE -> prepared;
            default -> false;
        };
        prepared |= doubt && code == CommandCode.STMT_PREPARE;
        if (doubt) {
            unsure = true;
            doubtful = command;
            program = code == CommandCode.STMT_EXECUTE || !begins(payload, code, 's') ? command : program;
        }
        if (code == CommandCode.RESET_CONNECTION || code == CommandCode.CHANGE_USER) {
            unsure = false;
            prepared = false;
            locked = false;
            end();
        }
        if (current != null && code == CommandCode.QUERY && !reads(payload)) {
            // it ends the transaction or changes data: the snapshots are of no use any more
            current.release();
        }
        return command;
    }

    private boolean query(byte[] payload, int offset, SentCommand command) {
        if (offset < 0) {
            return true;
        }
        int at = QueryText.begin(payload, offset);
        if (payload.length - at > LONGEST_BEGINNING || !mayBegin(payload, at) || !begins(text(payload, at))) {
            return looksDoubtful(payload, at);
        }
        beginning = command;
        locked = false;
        return false;
    }

    /**
     * Whether a text begins with this letter. Of the texts that make the state unsure, SET and SAVEPOINT begin with S.
     */
    private boolean begins(byte[] payload, int code, char letter) {
        int offset = code == CommandCode.QUERY ? QueryText.offset(payload, capabilities) : 1;
        int at = offset < 0 ? payload.length : QueryText.begin(payload, offset);
        return at < payload.length && (payload[at] | 0x20) == letter;
    }

    /** Whether the third letter is that of "begin" or "start". It excludes "select", the most usual short text. */
    private static boolean mayBegin(byte[] payload, int at) {
        return payload.length > at + 2 && ((payload[at + 2] | 0x20) == 'g' || (payload[at + 2] | 0x20) == 'a');
    }

    private boolean begins(String text) {
        begins = BEGINNINGS.get(BLANKS.matcher(text).replaceAll(" ").strip());
        return begins != null;
    }

    /**
     * Whether a text may set characteristics of the next transaction, or a savepoint, which START TRANSACTION would
     * drop. Also notes table locks. Only texts with a suitable first letter are examined.
     */
    private boolean looksDoubtful(byte[] payload, int at) {
        if (at >= payload.length) {
            return false;
        }
        return switch (payload[at] | 0x20) {
            case 's' -> {
                // "set" or "savepoint"; most "select" are excluded by the third letter
                String text = payload.length > at + 2 && (payload[at + 2] | 0x20) != 'l' ? text(payload, at) : "";
                yield FOR_THE_NEXT.matcher(text).find() || ANY.matcher(text).find();
            }
            case 'l', 'f', 'u' -> {
                String text = text(payload, at);
                locked = (locked || LOCKING.matcher(text).find()) && !text.startsWith("unlock");
                yield ANY.matcher(text).find();
            }
            case 'c', 'e', 'b', 'i', 'w', 'r', 'd' ->
                ANY.matcher(text(payload, at)).find();
            // a comment that the server executes, or one to the end of the line
            case '/', '-', '#' -> true;
            default -> false;
        };
    }

    private static String text(byte[] payload, int at) {
        return new String(payload, at, payload.length - at, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    }

    /**
     * The server sent a packet of an answer to the client.
     *
     * @param ended the command whose response it ended, null for none
     * @param status the last status flags
     */
    void received(PacketRole role, @Nullable SentCommand ended, int status) {
        boolean now = (status & ServerStatus.IN_TRANSACTION) != 0;
        if (ended != null) {
            boolean failed = role == PacketRole.ERROR;
            // a later statement of the same command may be a CALL
            boolean several = (status & ServerStatus.MORE_RESULTS) != 0;
            if (!now || unreported && !failed) {
                // the failed statement may have rolled the transaction back, and this one may have begun another
                end();
            }
            unreported = failed;
            hidden = unreported && (hidden || ended == program || several);
        }
        // a stored program may end a transaction and set characteristics of the next one
        unsure &= now || !open || ended == doubtful;
        open = now;
        // later statements of the same command are not examined
        unsure |= (status & ServerStatus.MORE_RESULTS) != 0;
        begun |= ended != null && ended == beginning && role == PacketRole.OK && now;
    }

    /** The proxy answered a SELECT: the transaction has read data, and the server was asked whether it is open. */
    void answered() {
        begun = false;
        unreported = false;
    }

    /** Whether a transaction may be open that the status flags do not show, even with autocommit on. */
    boolean hidden() {
        return hidden;
    }

    /** Whether a SELECT may be split inside the current transaction. */
    boolean maySplit(int status) {
        return fresh(status).isPresent() || later(status).isPresent();
    }

    /**
     * A SELECT is offered for splitting.
     *
     * @param status the last status flags
     * @return its place in the transaction; empty if it may not be split inside it
     */
    Optional<TransactionPlace> offered(int status) {
        Optional<FreshTransaction> fresh = fresh(status);
        if (fresh.isEmpty()) {
            return later(status).map(transaction -> new TransactionPlace(transaction, Optional.empty(), unreported));
        }
        end();
        OpenTransaction transaction = new OpenTransaction();
        current = transaction;
        return Optional.of(new TransactionPlace(transaction, fresh, unreported));
    }

    /** The transaction or the session has ended. */
    void end() {
        if (current != null) {
            current.end();
            current = null;
        }
    }

    private Optional<OpenTransaction> later(int status) {
        return (status & ServerStatus.IN_TRANSACTION) == 0
                ? Optional.empty()
                : Optional.ofNullable(current).filter(OpenTransaction::maySplit);
    }

    /** Whether the first letters of a text allow that it only reads. */
    private boolean reads(byte[] payload) {
        int offset = QueryText.offset(payload, capabilities);
        int at = offset < 0 ? payload.length : QueryText.begin(payload, offset);
        if (payload.length <= at + 2) {
            return false;
        }
        return switch (payload[at]) {
            case 's', 'S' -> "eh".indexOf(payload[at + 1] | 0x20) >= 0;
            case 'd', 'D' -> (payload[at + 2] | 0x20) == 's';
            case '(', '/', '#', '-', 'w', 'W', 'e', 'E', 'v', 'V' -> true;
            default -> false;
        };
    }

    /**
     * Returns the transaction that the next SELECT runs in, if it has done nothing yet.
     *
     * @param status the last status flags
     */
    Optional<FreshTransaction> fresh(int status) {
        if (unsure || locked) {
            return Optional.empty();
        }
        if ((status & (ServerStatus.AUTOCOMMIT | ServerStatus.IN_TRANSACTION)) == 0) {
            return Optional.of(FreshTransaction.IMPLICIT);
        }
        return begun ? Optional.ofNullable(begins) : Optional.empty();
    }
}
