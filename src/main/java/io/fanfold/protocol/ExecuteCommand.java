package io.fanfold.protocol;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A COM_STMT_EXECUTE of a statement whose parameters have been counted. Types come only with the first execution, or when
 * they change. The arrays are not to be changed.
 *
 * @param payload the whole command
 * @param parameters how many the statement has
 * @param named whether the session may send attributes, so that each type has a name behind it
 * @param flag where the byte stands that says whether types follow; -1 when there are no parameters
 * @param values where the first value stands
 * @param types two bytes for each parameter, as they hold for this execution; of an execution before it when it brings
 *     none itself. Empty when none are known
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_execute.html">COM_STMT_EXECUTE</a>
 */
public record ExecuteCommand(byte[] payload, int parameters, boolean named, int flag, int values, byte[] types) {

    private static final int FLAGS = 5;
    private static final int CURSORS = 7;
    private static final int COUNT_AVAILABLE = 8;

    /**
     * Reads a command up to its values.
     *
     * @param known the types of the execution before it; empty when there are none
     * @throws ProtocolException when it is cut off, or something in it is not understood: more parameters than the
     *     statement's are attributes
     */
    public static ExecuteCommand decode(byte[] payload, int parameters, long capabilities, byte[] known)
            throws ProtocolException {
        PayloadReader in = new PayloadReader(payload);
        in.skip(FLAGS);
        int flags = in.int1();
        long iterations = in.int4();
        if (iterations != 1 || (flags & ~(CURSORS | COUNT_AVAILABLE)) != 0) {
            throw new ProtocolException("an execution with flags " + flags + " and " + iterations + " iterations");
        }
        boolean named = Capability.has(capabilities, Capability.QUERY_ATTRIBUTES);
        boolean counted = (flags & COUNT_AVAILABLE) != 0;
        if (named ? parameters > 0 && !counted : counted) {
            throw new ProtocolException("an execution with flags " + flags);
        }
        if (counted) {
            long count = in.lenencInt();
            if (count != parameters) {
                throw new ProtocolException(count + " parameters (expected: " + parameters + ")");
            }
        }
        if (parameters == 0) {
            return new ExecuteCommand(payload, 0, named, -1, in.position(), known);
        }
        in.skip((parameters + 7) / 8);
        int flag = in.position();
        int brings = in.int1();
        if (brings > 1) {
            throw new ProtocolException("new types are announced by " + brings + " (expected: 0 or 1)");
        }
        if (brings == 0) {
            return new ExecuteCommand(payload, parameters, named, flag, in.position(), known);
        }
        byte[] types = new byte[2 * parameters];
        for (int i = 0; i < parameters; i++) {
            types[2 * i] = (byte) in.int1();
            types[2 * i + 1] = (byte) in.int1();
            if (named) {
                in.lenencBytes();
            }
        }
        return new ExecuteCommand(payload, parameters, named, flag, in.position(), types);
    }

    /**
     * Whether a command brings types, also one with attributes beside the statement's parameters.
     *
     * @throws ProtocolException when it is cut off before it says so
     */
    public static boolean bringsTypes(byte[] payload, int parameters, long capabilities) throws ProtocolException {
        PayloadReader in = new PayloadReader(payload);
        in.skip(FLAGS);
        int flags = in.int1();
        in.int4();
        boolean counted = Capability.has(capabilities, Capability.QUERY_ATTRIBUTES) && (flags & COUNT_AVAILABLE) != 0;
        long count = counted ? in.lenencInt() : parameters;
        if (count < parameters || count > 0xffff) {
            throw new ProtocolException(count + " parameters (expected: " + parameters + " or more)");
        }
        in.skip((int) (count + 7) / 8);
        return count > 0 && in.int1() == 1;
    }

    /** Whether rows are to be fetched later. */
    public boolean cursor() {
        return (payload[FLAGS] & CURSORS) != 0;
    }

    /** Whether it brings types itself. */
    public boolean bringsTypes() {
        return flag >= 0 && payload[flag] == 1;
    }

    /** The values of all parameters. */
    public List<BoundValue> read() throws ProtocolException {
        if (types.length != 2 * parameters) {
            throw new ProtocolException("the types of the parameters are not known");
        }
        PayloadReader in = new PayloadReader(payload, values, payload.length - values);
        int nulls = flag - (parameters + 7) / 8;
        List<BoundValue> all = new ArrayList<>(parameters);
        for (int i = 0; i < parameters; i++) {
            boolean nothing = (payload[nulls + i / 8] >> i % 8 & 1) != 0;
            int type = types[2 * i] & 0xff | (types[2 * i + 1] & 0xff) << 8;
            all.add(nothing ? new BoundValue.Nothing() : BoundValue.read(in, type));
        }
        if (in.remaining() > 0) {
            throw new ProtocolException(in.remaining() + " bytes behind the last parameter");
        }
        return all;
    }

    /** The same command with its types in it; itself where they are, or there are none. */
    public byte[] withTypes() {
        if (flag < 0 || bringsTypes() || types.length == 0) {
            return payload;
        }
        PayloadWriter out =
                new PayloadWriter().bytes(Arrays.copyOf(payload, flag)).int1(1);
        for (int i = 0; i < parameters; i++) {
            out.int1(types[2 * i]).int1(types[2 * i + 1]);
            if (named) {
                out.int1(0);
            }
        }
        return out.bytes(Arrays.copyOfRange(payload, flag + 1, payload.length)).toBytes();
    }
}
