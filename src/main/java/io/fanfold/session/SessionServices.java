package io.fanfold.session;

import io.fanfold.execute.StatementSplitter;
import io.fanfold.metrics.FanfoldMetrics;

/** What all sessions share. Every part is safe for all threads. */
public record SessionServices(
        SessionSettings settings,
        SessionTls tls,
        SessionCompression compression,
        BackendConnector connector,
        StatementSplitter splitter,
        KillRecognizer kills,
        FanfoldMetrics metrics,
        OwnConnections own,
        TransactionAdvice transactions) {}
