package io.fanfold.it;

import io.fanfold.backend.WireConnection;

/**
 * A database of a test class's own, made anew for every proxy.
 *
 * @param name no other test class's
 * @param options what stands behind the name in CREATE DATABASE, or ""
 * @param tables makes the tables
 */
record TestDatabase(String name, String options, Tables tables) {
    /** One whose texts have the same collation on every server. */
    TestDatabase(String name, Tables tables) {
        this(name, "DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", tables);
    }

    /** Makes tables. */
    interface Tables {
        /** @param admin has the database as its default one */
        void create(WireConnection admin) throws Exception;
    }

    /** Starts a proxy, and compares two sessions in this database; closing that closes the proxy. */
    SameAsServer compared(TestServer server, ProxySetup setup) throws Exception {
        ProxiedServer proxy = ProxiedServer.start(server, setup);
        SameAsServer same = null;
        try {
            create(proxy);
            same = SameAsServer.owning(proxy);
            same.onBoth("USE " + name);
            return same;
        } catch (Exception | Error e) {
            // whoever asked has nothing to close
            if (same != null) {
                same.close();
            } else {
                proxy.close();
            }
            throw e;
        }
    }

    /** The same of a proxy of that degree. */
    SameAsServer compared(TestServer server, int degree) throws Exception {
        return compared(server, ProxySetup.ofDegree(degree));
    }

    private void create(ProxiedServer proxy) throws Exception {
        try (WireConnection admin = proxy.direct()) {
            admin.execute("DROP DATABASE IF EXISTS " + name);
            admin.execute("CREATE DATABASE " + name + " " + options);
            admin.execute("USE " + name);
            tables.create(admin);
        }
        proxy.tablesChanged();
    }
}
