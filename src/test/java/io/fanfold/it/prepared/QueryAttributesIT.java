package io.fanfold.it.prepared;

import static io.fanfold.it.support.client.SameInBinary.integer;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.it.support.client.BinaryClient;
import io.fanfold.it.support.client.BinaryClient.Answer;
import io.fanfold.it.support.client.BinaryClient.Prepared;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.client.SameInBinary;
import io.fanfold.it.support.data.SmallTable;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.Capability;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PayloadWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Query attributes that clients send with queries and executions, and functions that read them. */
class QueryAttributesIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_attributes", "", SmallTable::create);

    private static final String SUM = "SELECT SUM(v), COUNT(*) FROM t WHERE id < ?";

    @OnServers(ServerName.MYSQL)
    void attributesAreReadOver(TestServer server) throws Exception {
        long capabilities = BinaryClient.USUAL | Capability.QUERY_ATTRIBUTES | Capability.DEPRECATE_EOF;
        try (SameAsServer owner = DATABASE.compared(server, 3);
                SameInBinary same = new SameInBinary(owner.proxy(), DATABASE.name(), capabilities)) {
            assertThat(same.proxied().has(Capability.QUERY_ATTRIBUTES)).isTrue();
            same.fansOut(SUM, integer(50));
            same.fansOutAgain(SUM, integer(51));
            same.onBoth("BEGIN");
            same.onBoth("SAVEPOINT s");
            same.passesThroughAgain(Reason.IN_TRANSACTION, SUM, integer(52));
            same.onBoth("COMMIT");
            executedWithAttribute(same, SUM);
            assertThat(same.proxy().outcome().reason()).isNull();
            queriedWithAttribute(same, "SELECT SUM(v), COUNT(*) FROM t WHERE id < 60");
            assertThat(same.proxy().outcome().reason()).isNull();
            same.direct().query("INSTALL COMPONENT 'file://component_query_attributes'");
            try {
                String asks = "SELECT mysql_query_attribute_string('trace'), COUNT(*) FROM t WHERE id < ";
                Answer answer = executedWithAttribute(same, asks + "?");
                assertThat(new String(answer.rows().get(0), StandardCharsets.ISO_8859_1))
                        .contains("abc");
                assertThat(same.proxy().outcome().reason()).isEqualTo(Reason.UNKNOWN_FUNCTION);
                queriedWithAttribute(same, asks + "60");
                assertThat(same.proxy().outcome().reason()).isEqualTo(Reason.UNKNOWN_FUNCTION);
            } finally {
                same.direct().query("UNINSTALL COMPONENT 'file://component_query_attributes'");
            }
        }
    }

    /** Executes a statement with one parameter on both, followed by an attribute. */
    private static Answer executedWithAttribute(SameInBinary same, String sql) throws Exception {
        List<Answer> answers = new ArrayList<>();
        for (BinaryClient client : List.of(same.direct(), same.proxied())) {
            Prepared prepared = client.prepare(sql);
            same.proxy().forget();
            client.write(
                    0,
                    new PayloadWriter()
                            .int1(CommandCode.STMT_EXECUTE)
                            .int4(prepared.id())
                            .int1(8)
                            .int4(1)
                            .lenencInt(2)
                            .int1(0)
                            .int1(1)
                            .int2(3)
                            .lenencString("")
                            .int2(253)
                            .lenencString("trace")
                            .int4(40)
                            .lenencString("abc")
                            .toBytes());
            answers.add(client.answer());
        }
        SameInBinary.assertSameText(sql, answers.get(0), answers.get(1));
        return answers.get(0);
    }

    /** Sends a text to both, with two attributes. The first is NULL. */
    private static void queriedWithAttribute(SameInBinary same, String sql) throws Exception {
        List<Answer> answers = new ArrayList<>();
        for (BinaryClient client : List.of(same.direct(), same.proxied())) {
            same.proxy().forget();
            client.write(
                    0,
                    new PayloadWriter()
                            .int1(CommandCode.QUERY)
                            .lenencInt(2)
                            .lenencInt(1)
                            .int1(1)
                            .int1(1)
                            .int2(3)
                            .lenencString("nothing")
                            .int2(253)
                            .lenencString("trace")
                            .lenencString("abc")
                            .bytes(sql.getBytes(StandardCharsets.UTF_8))
                            .toBytes());
            answers.add(client.answer());
        }
        SameInBinary.assertSameText(sql, answers.get(0), answers.get(1));
    }
}
