package io.fanfold.cli;

import io.fanfold.config.ConfigException;
import io.fanfold.config.RunningSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the settings and the certificates of a running proxy again, and logs what is wrong with them. */
record Reload(RunningSettings settings) implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Reload.class);

    @Override
    public void run() {
        LOG.info("SIGHUP: reading settings and certificates again");
        try {
            settings.reload();
        } catch (ConfigException e) {
            e.mistakes().forEach(mistake -> LOG.error("the settings stay as they are: {}", mistake.text()));
        } catch (RuntimeException | Error e) {
            LOG.error("the settings stay as they are", e);
        }
    }
}
