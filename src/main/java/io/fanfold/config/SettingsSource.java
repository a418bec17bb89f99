package io.fanfold.config;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Where a proxy's settings come from. For one thread at a time. */
public interface SettingsSource {
    /** Where a value comes from. */
    enum SettingOrigin {
        /** It is the default. */
        DEFAULT,
        FILE,
        COMMAND_LINE,
        /** {@code SET FANFOLD}. */
        SET;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Settings with the origin of each value.
     *
     * @param origins by the names of {@link SettingsList}
     */
    record ReadSettings(FanfoldConfig config, Map<String, SettingOrigin> origins) {
        /**
         * Finds the origins.
         *
         * @param config the settings with those of the command line
         * @param file the settings without them
         * @param inFile the names of the settings in the file
         * @param values see {@link SettingsSource#read}
         */
        static ReadSettings of(
                FanfoldConfig config, FanfoldConfig file, Set<String> inFile, Map<String, Optional<String>> values) {
            Map<String, String> withoutCommandLine = SettingsList.of(file);
            Set<String> set = new HashSet<>();
            values.forEach((name, value) -> value.ifPresent(present -> set.add(name)));
            Map<String, SettingOrigin> origins = new LinkedHashMap<>();
            SettingsList.of(config).forEach((name, value) -> {
                SettingOrigin origin = SettingOrigin.DEFAULT;
                if (!value.equals(withoutCommandLine.get(name))) {
                    origin = SettingOrigin.COMMAND_LINE;
                } else if (set.contains(name)) {
                    origin = SettingOrigin.SET;
                } else if (inFile.contains(name) && !values.containsKey(name)) {
                    origin = SettingOrigin.FILE;
                }
                origins.put(name, origin);
            });
            return new ReadSettings(config, origins);
        }
    }

    /**
     * Reads the settings anew.
     *
     * @throws ConfigException if they are wrong; then {@link #read} keeps what it has
     */
    ReadSettings readAnew();

    /**
     * Returns what was read last, with other values for some settings.
     *
     * @param values by the names of {@link SettingsList}, in the file's notation; empty for the default
     * @throws ConfigException if they are wrong
     */
    ReadSettings read(Map<String, Optional<String>> values);
}
