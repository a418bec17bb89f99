package io.fanfold.session;

import io.fanfold.execute.StatementSplitter;
import io.fanfold.metrics.FanfoldMetrics;

/** The objects that all sessions share. All are thread-safe. */
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
