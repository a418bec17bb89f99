package io.fanfold.cli.fuzz;

import io.fanfold.cli.FanOutReport;
import io.fanfold.cli.demo.SqlClient;
import java.io.IOException;

/** A proxy under test, or the server itself. Not thread-safe. */
public interface Subject {
    /** Its name in the report, such as its degree. */
    String name();

    /** Opens a connection through it. */
    SqlClient connect() throws IOException;

    /** What it did with the last statement; valid once the client has pinged after the answer. */
    FanOutReport report();
}
