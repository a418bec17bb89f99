package io.fanfold.cli.fuzz;

import io.fanfold.cli.FanOutReport;
import io.fanfold.cli.demo.SqlClient;
import java.io.IOException;

/**
 * A proxy under test. For one thread.
 */
public interface Subject {
    /** What it is called in the report, such as its degree. */
    String name();

    /** Opens a connection through it. */
    SqlClient connect() throws IOException;

    /** What it did with the last statement, once the client has pinged behind its answer. */
    FanOutReport report();
}
