package io.fanfold.observe;

/**
 * Executions of statements with the same digest and schema, as a source reports them: a slow log one at a time.
 *
 * @param schema the schema of the session; "" if there is none, or it is not known
 * @param digest the server's digest text; "" if the source has none
 * @param sql the text of one of them
 * @param cut whether the end of the text is missing
 * @param executions their number, 1 or more
 * @param nanos the time of all executions together
 */
record LoggedStatement(String schema, String digest, String sql, boolean cut, long executions, long nanos) {}
