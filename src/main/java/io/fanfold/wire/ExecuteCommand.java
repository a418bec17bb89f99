package io.fanfold.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A COM_STMT_EXECUTE of a statement with a known number of parameters. Types are sent only with the first execution, or
 * when they change. Query attributes follow the parameters, each with a type and a name. Callers must not change the
 * arrays.
 *
 * @param payload the whole command
 * @param parameters the number of parameters of the statement
 * @param attributes the number of query attributes, 0 or more
 * @param named whether the session may send attributes, so that each type is followed by a name
 * @param flag the position of new_params_bind_flag; -1 if there are neither parameters nor attributes
 * @param values the position of the first value
 * @param types two bytes for each parameter, from this execution or an earlier one. Empty if none are known
 * @param ofAttributes two bytes for each attribute
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_execute.html">COM_STMT_EXECUTE</a>
 */
public record ExecuteCommand(
        byte[] payload,
        int parameters,
        int attributes,
        boolean named,
        int flag,
        int values,
        byte[] types,
        byte[] ofAttributes) {

    /** The limit of servers for the parameters of a statement. */
    private static final int MOST_PARAMETERS = 0xffff;

    private static final byte[] NONE = {};
    private static final int FLAGS = 5;
    private static final int CURSORS = 7;
    private static final int COUNT_AVAILABLE = 8;

    /**
     * Reads a command up to its values.
     *
     * @param known the types of the previous execution; empty if there are none
     * @throws ProtocolException if the command is truncated or not understood
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
        int count = counted ? count(in, parameters) : parameters;
        int attributes = count - parameters;
        if (count == 0) {
            return new ExecuteCommand(payload, 0, 0, named, -1, in.position(), NONE, NONE);
        }
        in.skip((count + 7) / 8);
        int flag = in.position();
        int brings = in.int1();
        if (brings > 1) {
            throw new ProtocolException("new types are announced by " + brings + " (expected: 0 or 1)");
        }
        if (brings == 0) {
            if (attributes > 0) {
                throw new ProtocolException(attributes + " attributes without types");
            }
            return new ExecuteCommand(payload, parameters, 0, named, flag, in.position(), known, NONE);
        }
        byte[] types = new byte[2 * count];
        for (int i = 0; i < count; i++) {
            types[2 * i] = (byte) in.int1();
            types[2 * i + 1] = (byte) in.int1();
            if (named) {
                in.lenencBytes();
            }
        }
        return new ExecuteCommand(
                payload,
                parameters,
                attributes,
                named,
                flag,
                in.position(),
                Arrays.copyOf(types, 2 * parameters),
                Arrays.copyOfRange(types, 2 * parameters, types.length));
    }

    private static int count(PayloadReader in, int parameters) throws ProtocolException {
        long count = in.lenencInt();
        if (count < parameters || count > MOST_PARAMETERS) {
            throw new ProtocolException(count + " parameters (expected: " + parameters + " or more)");
        }
        return (int) count;
    }

    /**
     * Whether a command includes parameter types; also works if it has query attributes.
     *
     * @throws ProtocolException if it is truncated before new_params_bind_flag
     */
    public static boolean bringsTypes(byte[] payload, int parameters, long capabilities) throws ProtocolException {
        PayloadReader in = new PayloadReader(payload);
        in.skip(FLAGS);
        int flags = in.int1();
        in.int4();
        boolean counted = Capability.has(capabilities, Capability.QUERY_ATTRIBUTES) && (flags & COUNT_AVAILABLE) != 0;
        int count = counted ? count(in, parameters) : parameters;
        in.skip((count + 7) / 8);
        return count > 0 && in.int1() == 1;
    }

    /** Whether the client asks for a cursor. */
    public boolean cursor() {
        return (payload[FLAGS] & CURSORS) != 0;
    }

    /** Whether the command includes types. */
    public boolean bringsTypes() {
        return flag >= 0 && payload[flag] == 1;
    }

    /** Returns the values of all parameters; skips those of attributes. */
    public List<BoundValue> read() throws ProtocolException {
        requireTypes();
        PayloadReader in = new PayloadReader(payload, values, payload.length - values);
        List<BoundValue> all = new ArrayList<>(parameters);
        for (int i = 0; i < parameters; i++) {
            all.add(value(in, i, type(types, i)));
        }
        for (int i = 0; i < attributes; i++) {
            value(in, parameters + i, type(ofAttributes, i));
        }
        if (in.remaining() > 0) {
            throw new ProtocolException(in.remaining() + " bytes after the last parameter");
        }
        return all;
    }

    private BoundValue value(PayloadReader in, int index, int type) throws ProtocolException {
        if (nothing(index)) {
            return new BoundValue.NullValue(BoundValue.type(type));
        }
        return BoundValue.read(in, type);
    }

    private void requireTypes() throws ProtocolException {
        if (types.length != 2 * parameters) {
            throw new ProtocolException("the types of the parameters are not known");
        }
    }

    /** Whether the value at an index is NULL; attributes follow the parameters. */
    private boolean nothing(int index) {
        int nulls = flag - (parameters + attributes + 7) / 8;
        return (payload[nulls + index / 8] >> index % 8 & 1) != 0;
    }

    private static int type(byte[] types, int index) {
        return types[2 * index] & 0xff | (types[2 * index + 1] & 0xff) << 8;
    }

    /**
     * Returns this command with values that COM_STMT_SEND_LONG_DATA sent before it. The command itself has no values
     * for these parameters.
     *
     * @param sent the bytes of each such parameter, by its index
     * @throws ProtocolException if a value is truncated, or a value sent before is NULL, is neither characters nor
     *     bytes, or has no parameter
     */
    public ExecuteCommand withLongData(Map<Integer, byte[]> sent) throws ProtocolException {
        if (sent.isEmpty()) {
            return this;
        }
        requireTypes();
        PayloadReader in = new PayloadReader(payload, values, payload.length - values);
        PayloadWriter out = new PayloadWriter().bytes(Arrays.copyOf(payload, values));
        int left = sent.size();
        for (int i = 0; i < parameters; i++) {
            byte[] value = sent.get(i);
            int at = in.position();
            if (value != null) {
                left--;
                byte[] whole = new PayloadWriter().lenencBytes(value).toBytes();
                if (nothing(i)
                        || !(BoundValue.read(new PayloadReader(whole), type(types, i))
                                instanceof BoundValue.BytesValue)) {
                    throw new ProtocolException("parameter " + (i + 1) + " was sent before, and is no string");
                }
                out.bytes(whole);
            } else if (!nothing(i)) {
                BoundValue.read(in, type(types, i));
                out.bytes(Arrays.copyOfRange(payload, at, in.position()));
            }
        }
        if (left > 0) {
            throw new ProtocolException(left + " values were sent before that have no parameter");
        }
        byte[] whole = out.bytes(in.rest()).toBytes();
        return new ExecuteCommand(whole, parameters, attributes, named, flag, values, types, ofAttributes);
    }

    /** Returns the command, without attributes, with its types; unchanged if it has them, or if none are known. */
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
