package io.fanfold.cli;

import io.fanfold.config.ConfigException;
import io.fanfold.config.RunningSettings;
import io.fanfold.server.RunningProxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the settings and the certificates of a running proxy again. Logs what has changed, or the mistakes. */
record Reload(RunningSettings settings, RunningProxy proxy) implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Reload.class);

    @Override
    public void run() {
        LOG.info("SIGHUP: reading settings and certificates again");
        proxy.readCertificates();
        try {
            settings.reload();
        } catch (ConfigException e) {
            e.mistakes().forEach(mistake -> LOG.error("the settings stay as they are: {}", mistake.text()));
        } catch (RuntimeException e) {
            LOG.error("the settings stay as they are", e);
        }
    }
}
