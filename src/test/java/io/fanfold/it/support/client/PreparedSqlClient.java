package io.fanfold.it.support.client;

import io.fanfold.demo.SqlAnswer;
import io.fanfold.demo.SqlClient;
import io.fanfold.demo.SqlFailure;
import io.fanfold.it.support.client.BinaryClient.Answer;
import io.fanfold.it.support.client.BinaryClient.Prepared;
import io.fanfold.row.Column;
import io.fanfold.row.Row;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PayloadReader;
import io.fanfold.wire.PayloadWriter;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ServerPacket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client that prepares, executes and closes each statement with rows. Numbers in the answer are texts. Dates and
 * times are the bytes of their binary form. For one thread.
 */
public final class PreparedSqlClient implements SqlClient {
    /** The first two bits of a row's NULL bitmap belong to no column. */
    private static final int FIRST_BIT = 2;

    /** The first byte of an error packet, decoded as UTF-8. */
    private static final String ERROR = "\uFFFD";

    private final BinaryClient client;
    private final String version;

    /** @param version the version in the server's greeting */
    public PreparedSqlClient(BinaryClient client, String version) {
        this.client = client;
        this.version = version;
    }

    @Override
    public void execute(String sql) throws IOException {
        refuse(client.query(sql));
    }

    @Override
    public SqlAnswer query(String sql) throws IOException {
        Prepared prepared;
        try {
            prepared = client.prepare(sql);
        } catch (IOException e) {
            String text = String.valueOf(e.getMessage());
            if (text.startsWith(ERROR)) {
                throw new SqlFailure(0, "prepare", text);
            }
            throw e;
        }
        Answer answer = client.execute(prepared.id(), List.of());
        client.send(CommandCode.STMT_CLOSE, prepared.id(), new byte[0]);
        refuse(answer);
        try {
            List<Column> columns = new ArrayList<>();
            for (byte[] definition : answer.definitions()) {
                columns.add(ServerPacket.column(definition, client.capabilities()));
            }
            List<Row> rows = new ArrayList<>();
            for (byte[] row : answer.rows()) {
                rows.add(row(row, columns));
            }
            byte[] last = answer.others().get(answer.others().size() - 1);
            return new SqlAnswer(columns, rows, ServerPacket.Eof.decode(last).warnings());
        } catch (ProtocolException e) {
            throw new IOException(e);
        }
    }

    private static void refuse(Answer answer) throws IOException {
        if (answer.failed()) {
            try {
                ServerPacket.Err error = ServerPacket.Err.decode(
                        answer.others().get(answer.others().size() - 1));
                throw new SqlFailure(error.code(), error.sqlState(), error.message());
            } catch (ProtocolException e) {
                throw new IOException(e);
            }
        }
    }

    private static Row row(byte[] payload, List<Column> columns) throws ProtocolException {
        PayloadReader reader = new PayloadReader(payload);
        reader.skip(1);
        byte[] nulls = reader.take((columns.size() + FIRST_BIT + 7) / 8);
        byte @Nullable [][] values = new byte[columns.size()][];
        for (int i = 0; i < columns.size(); i++) {
            int bit = i + FIRST_BIT;
            if ((nulls[bit / 8] & 1 << bit % 8) == 0) {
                values[i] = value(reader, columns.get(i));
            }
        }
        return Row.ofValues(Arrays.asList(values));
    }

    private static byte[] value(PayloadReader reader, Column column) throws ProtocolException {
        boolean unsigned = column.unsigned();
        return switch (column.type().binaryForm()) {
            case INT1 -> whole(unsigned ? reader.int1() : (byte) reader.int1());
            case INT2 -> whole(unsigned ? reader.int2() : (short) reader.int2());
            case INT4 -> whole(unsigned ? reader.int4() : (int) reader.int4());
            case INT8 -> {
                long value = reader.int8();
                yield unsigned ? text(Long.toUnsignedString(value)) : whole(value);
            }
            case DOUBLE -> {
                double value = Double.longBitsToDouble(reader.int8());
                yield text(value == 0 ? (1 / value < 0 ? "-0" : "0") : Double.toString(value));
            }
            case FLOAT -> reader.take(4);
            case MOMENT, SPAN, BYTES -> reader.lenencBytes();
            case NOTHING, UNKNOWN -> throw new ProtocolException("a value of type " + column.type());
        };
    }

    private static byte[] whole(long value) {
        return text(Long.toString(value));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void ping() throws IOException {
        client.single(new PayloadWriter().int1(CommandCode.PING).toBytes());
    }

    /** Waits for answers as long as the socket does. */
    @Override
    public void patience(Duration longest) {
        // a test has its own time limit
    }

    @Override
    public String serverVersion() {
        return version;
    }

    @Override
    public void close() {
        try {
            client.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
