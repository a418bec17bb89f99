package io.fanfold.pool;

import io.fanfold.client.ServerFacts;
import io.fanfold.client.WireConnection;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Presents a {@link WireConnection} to HikariCP. It implements the few methods of {@link Connection} that a pool calls;
 * all others throw {@link SQLFeatureNotSupportedException}. Statements do not use JDBC.
 */
final class WorkerConnection implements InvocationHandler {
    private final WireConnection wire;
    private final ServerFacts facts;
    private final WorkerSession session = new WorkerSession();

    private WorkerConnection(WireConnection wire, ServerFacts facts) {
        this.wire = wire;
        this.facts = facts;
    }

    /** The type to which the pooled connection unwraps. */
    interface Facade extends Connection {
        WorkerConnection worker();
    }

    static Facade facade(WireConnection wire, ServerFacts facts) {
        return (Facade) Proxy.newProxyInstance(
                WorkerConnection.class.getClassLoader(),
                new Class<?>[] {Facade.class},
                new WorkerConnection(wire, facts));
    }

    WireConnection wire() {
        return wire;
    }

    ServerFacts facts() {
        return facts;
    }

    WorkerSession session() {
        return session;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws SQLException {
        Object argument = arguments == null || arguments.length == 0 ? null : arguments[0];
        return switch (method.getName()) {
            case "worker" -> this;
            case "unwrap" -> unwrapped(proxy, argument);
            case "isWrapperFor" -> argument instanceof Class<?> type && type.isInstance(proxy);
            case "isClosed" -> wire.broken();
            case "isValid" -> valid(argument instanceof Integer seconds ? seconds : 0);
            case "getNetworkTimeout" -> timeout();
            case "setNetworkTimeout" -> {
                timeout(arguments != null && arguments[1] instanceof Integer millis ? millis : 0);
                yield null;
            }
            case "close" -> {
                wire.close();
                yield null;
            }
            case "abort" -> {
                wire.abort();
                yield null;
            }
            case "getAutoCommit" -> true;
            case "isReadOnly" -> false;
            case "getTransactionIsolation" -> Connection.TRANSACTION_REPEATABLE_READ;
            case "getHoldability" -> ResultSet.CLOSE_CURSORS_AT_COMMIT;
            case "getCatalog", "getSchema", "getWarnings", "clearWarnings" -> null;
            case "toString" -> wire.toString();
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> proxy == argument;
            default -> throw new SQLFeatureNotSupportedException("worker connections do not support " + method);
        };
    }

    private static Object unwrapped(Object proxy, @Nullable Object type) throws SQLException {
        if (type instanceof Class<?> wanted && wanted.isInstance(proxy)) {
            return proxy;
        }
        throw new SQLException("a worker connection is no " + type);
    }

    private boolean valid(int seconds) throws SQLException {
        int before = timeout();
        timeout(seconds * 1000);
        boolean valid = wire.ping();
        if (valid) {
            timeout(before);
        }
        return valid;
    }

    private int timeout() {
        return (int) wire.readTimeout().toMillis();
    }

    private void timeout(int millis) throws SQLException {
        try {
            wire.readTimeout(Duration.ofMillis(millis));
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private static SQLException failed(IOException cause) {
        return new SQLException(cause.getMessage(), "08006", cause);
    }
}
