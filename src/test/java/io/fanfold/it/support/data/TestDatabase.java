package io.fanfold.it.support.data;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.TestServer;
import java.util.HashSet;
import java.util.Set;

/** A database of one test class. Not thread-safe. */
public final class TestDatabase {
    private final String name;
    private final String options;
    private final Tables tables;

    /** The servers on which {@link #shared} has created the tables. */
    private final Set<TestServer> created = new HashSet<>();

    /**
     * @param name unique among test classes
     * @param options text after the name in CREATE DATABASE, or ""
     * @param tables creates the tables
     */
    public TestDatabase(String name, String options, Tables tables) {
        this.name = name;
        this.options = options;
        this.tables = tables;
    }

    /** A database whose texts have the same collation on every server. */
    public TestDatabase(String name, Tables tables) {
        this(name, "DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", tables);
    }

    public String name() {
        return name;
    }

    /** Creates tables. */
    public interface Tables {
        /** @param admin has the database as its default one */
        void create(WireConnection admin) throws Exception;
    }

    /**
     * Recreates the database, starts a proxy, and compares two sessions in this database. Closing the result closes the
     * proxy.
     */
    public SameAsServer compared(TestServer server, ProxySetup setup) throws Exception {
        created.remove(server);
        return opened(server, setup, true);
    }

    /** Like {@link #compared(TestServer, ProxySetup)}, with a proxy of that degree. */
    public SameAsServer compared(TestServer server, int degree) throws Exception {
        return compared(server, ProxySetup.ofDegree(degree));
    }

    /**
     * Like {@link #compared(TestServer, ProxySetup)}, but only the first call creates the database of a server. For
     * tests that do not change its tables.
     */
    public SameAsServer shared(TestServer server, ProxySetup setup) throws Exception {
        SameAsServer same = opened(server, setup, !created.contains(server));
        created.add(server);
        return same;
    }

    /** Like {@link #shared(TestServer, ProxySetup)}, with a proxy of that degree. */
    public SameAsServer shared(TestServer server, int degree) throws Exception {
        return shared(server, ProxySetup.ofDegree(degree));
    }

    private SameAsServer opened(TestServer server, ProxySetup setup, boolean create) throws Exception {
        ProxiedServer proxy = ProxiedServer.start(server, setup);
        SameAsServer same = null;
        try {
            if (create) {
                create(proxy);
            }
            proxy.tablesChanged();
            same = SameAsServer.owning(proxy);
            same.onBoth("USE " + name);
            return same;
        } catch (Exception | Error e) {
            // the caller has nothing to close
            if (same != null) {
                same.close();
            } else {
                proxy.close();
            }
            throw e;
        }
    }

    private void create(ProxiedServer proxy) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            admin.execute("DROP DATABASE IF EXISTS " + name);
            admin.execute("CREATE DATABASE " + name + " " + options);
            admin.execute("USE " + name);
            tables.create(admin);
        }
    }
}
