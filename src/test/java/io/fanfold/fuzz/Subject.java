package io.fanfold.fuzz;

import io.fanfold.demo.SqlClient;
import io.fanfold.metrics.FanOutReport;
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
