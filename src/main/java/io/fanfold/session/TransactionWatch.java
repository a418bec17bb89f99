package io.fanfold.session;

import io.fanfold.execute.FreshTransaction;
import io.fanfold.execute.OpenTransaction;
import io.fanfold.execute.TransactionPlace;
import io.fanfold.protocol.CommandCode;
import io.fanfold.protocol.PacketRole;
import io.fanfold.protocol.ServerStatus;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Knows the transaction that a session is in, as far as its statements may be split, and whether this transaction has done nothing yet.
 * With autocommit off the server's status flags say that no transaction is open. After a BEGIN nothing has been done until the next
 * command. {@code SET TRANSACTION} may set characteristics of the next transaction only, which no variable shows: after it nothing is
 * known until a transaction has ended. Event loop only.
 */
final class TransactionWatch {
    private static final Map<String, FreshTransaction> BEGINNINGS = Map.of(
            "begin", FreshTransaction.BEGUN,
            "begin work", FreshTransaction.BEGUN,
            "start transaction", FreshTransaction.BEGUN,
            "start transaction read only", FreshTransaction.READ_ONLY,
            "start transaction read write", FreshTransaction.READ_WRITE);

    /** Longer texts are no beginnings. */
    private static final int LONGEST_BEGINNING = 64;

    private static final Pattern BLANKS = Pattern.compile("[\\s;]+");

    /** With a scope, SET TRANSACTION sets the characteristics of all transactions, which variables show. */
    private static final Pattern FOR_THE_NEXT = Pattern.compile(
            "^set\\s+transaction\\b|^set\\s(?!\\s*(session|local|global)\\s)"
                    + ".*\\b(transaction|tx)_(isolation|read_only)`?\\s*:?=",
            Pattern.DOTALL);

    /**
     * What may run any other statement, a compound statement of MariaDB too; and a savepoint, which a transaction that is begun once
     * more would lose.
     */
    private static final Pattern ANY =
            Pattern.compile("^(call|execute|begin|if|case|loop|while|repeat|for|declare|savepoint)\\b", Pattern.DOTALL);

    /** What takes table locks, which START TRANSACTION would release. */
    private static final Pattern LOCKING = Pattern.compile("^(lock|flush)\\b");

    private final long capabilities;

    /** What the last command begins, if it begins a transaction. */
    private @Nullable FreshTransaction begins;

    /** The response that tells whether it was begun; -1 for none. */
    private long beginning = -1;

    private boolean begun;
    private boolean unsure;

    /** Whether what may make this unsure was prepared: any execution may be of it. */
    private boolean prepared;

    /** The last response of a command for which this is unsure. */
    private long doubtful = -1;

    private boolean locked;
    private boolean open;

    /** Whether the last response was an error: its packet has no flags, and the statement may have begun a transaction. */
    private boolean untold;

    /** The last response of what may run a stored program, which may begin a transaction with autocommit on too; -1 for none. */
    private long program = -1;

    /** Whether such a command has failed since the flags were told. */
    private boolean hidden;

    /** The transaction whose first statement was offered, until it ends. */
    private @Nullable OpenTransaction current;

    TransactionWatch(long capabilities) {
        this.capabilities = capabilities;
    }

    /**
     * A command of the client goes to the server.
     *
     * @param payload whole, or its first bytes
     * @param response the number of its response, -1 for none
     */
    void sent(byte[] payload, int code, long response) {
        begins = null;
        begun = false;
        beginning = -1;
        boolean doubt = switch (code) {
            case CommandCode.QUERY -> query(payload, QueryText.offset(payload, capabilities), response);
            case CommandCode.STMT_PREPARE -> looksDoubtful(payload, QueryText.begin(payload, 1));
            case CommandCode.STMT_EXECUTE -> prepared;
            default -> false;
        };
        prepared |= doubt && code == CommandCode.STMT_PREPARE;
        if (doubt) {
            unsure = true;
            doubtful = response;
            program = code == CommandCode.STMT_EXECUTE || !begins(payload, code, 's') ? response : program;
        }
        if (code == CommandCode.RESET_CONNECTION || code == CommandCode.CHANGE_USER) {
            unsure = false;
            prepared = false;
            locked = false;
            end();
        }
        if (current != null && code == CommandCode.QUERY && !reads(payload)) {
            // it is at its end, or changes something: its snapshots are of no use any more
            current.release();
        }
    }

    private boolean query(byte[] payload, int offset, long response) {
        if (offset < 0) {
            return true;
        }
        int at = QueryText.begin(payload, offset);
        if (payload.length - at > LONGEST_BEGINNING || !begins(text(payload, at))) {
            return looksDoubtful(payload, at);
        }
        beginning = response;
        locked = false;
        return false;
    }

    /** Whether a text begins with that letter: of what is doubtful, SET and SAVEPOINT do. */
    private boolean begins(byte[] payload, int code, char letter) {
        int offset = code == CommandCode.QUERY ? QueryText.offset(payload, capabilities) : 1;
        int at = offset < 0 ? payload.length : QueryText.begin(payload, offset);
        return at < payload.length && (payload[at] | 0x20) == letter;
    }

    private boolean begins(String text) {
        begins = BEGINNINGS.get(BLANKS.matcher(text).replaceAll(" ").strip());
        return begins != null;
    }

    /**
     * Whether a text may set characteristics of the next transaction, or a savepoint, which START TRANSACTION would drop. Few texts
     * begin like those that may: the others are not read. Notes table locks too.
     */
    private boolean looksDoubtful(byte[] payload, int at) {
        if (at >= payload.length) {
            return false;
        }
        return switch (payload[at] | 0x20) {
            case 's' -> {
                // "set" or "savepoint", but hardly a "select"
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
            // a comment that is read, or one to the end of a line
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
     * @param ended the number of the response that it ended, -1 for none
     * @param status the last status flags
     */
    void received(PacketRole role, long ended, int status) {
        boolean now = (status & ServerStatus.IN_TRANSACTION) != 0;
        if (ended >= 0) {
            boolean failed = role == PacketRole.ERROR;
            // behind the first text of a command there may be a CALL
            boolean several = (status & ServerStatus.MORE_RESULTS) != 0;
            if (!now || untold && !failed) {
                // the error before may have rolled the transaction back, and this statement begun another one
                end();
            }
            untold = failed;
            hidden = untold && (hidden || ended == program || several);
        }
        // a stored program may end a transaction and set characteristics of the next
        unsure &= now || !open || ended == doubtful;
        open = now;
        // the texts behind the first are not looked at
        unsure |= (status & ServerStatus.MORE_RESULTS) != 0;
        begun |= ended >= 0 && ended == beginning && role == PacketRole.OK && now;
    }

    /** A SELECT was answered without the server: the transaction has read something, and whether it is open was asked for. */
    void answered() {
        begun = false;
        untold = false;
    }

    /** Whether a transaction may be open that the status flags do not tell of, even with autocommit on. */
    boolean hidden() {
        return hidden;
    }

    /** Whether a SELECT may be split inside the transaction that it finds. */
    boolean maySplit(int status) {
        return fresh(status).isPresent() || later(status).isPresent();
    }

    /**
     * A SELECT is offered for splitting.
     *
     * @param status the last status flags
     * @return where it stands in its transaction; empty where it may not be split inside of it
     */
    Optional<TransactionPlace> offered(int status) {
        Optional<FreshTransaction> fresh = fresh(status);
        if (fresh.isEmpty()) {
            return later(status).map(transaction -> new TransactionPlace(transaction, Optional.empty(), untold));
        }
        end();
        OpenTransaction transaction = new OpenTransaction();
        current = transaction;
        return Optional.of(new TransactionPlace(transaction, fresh, untold));
    }

    /** The transaction has ended, or the session has. */
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

    /** Whether a text may be one that only reads, by its first letters. */
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
     * The transaction that the next SELECT finds, if it has done nothing yet.
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
