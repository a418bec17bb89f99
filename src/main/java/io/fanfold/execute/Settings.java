package io.fanfold.execute;

import io.fanfold.config.RunningSettings;
import io.fanfold.config.SettingsList;
import io.fanfold.config.SettingsSource.SettingOrigin;
import io.fanfold.status.StatusSource;
import io.fanfold.status.StatusTable;
import io.fanfold.status.StatusTable.StatusColumn;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The settings that hold now, as a status. Safe for all threads. */
record Settings(RunningSettings settings) implements StatusSource {
    @Override
    public StatusTable read(Viewer viewer) {
        Map<String, SettingOrigin> origins = settings.origins();
        return new StatusTable(
                List.of(StatusColumn.text("Variable_name"), StatusColumn.text("Value"), StatusColumn.text("Source")),
                0,
                SettingsList.of(settings.get()).entrySet().stream()
                        .map(setting -> List.<@Nullable Object>of(
                                setting.getKey(),
                                setting.getValue(),
                                origins.getOrDefault(setting.getKey(), SettingOrigin.DEFAULT)
                                        .toString()))
                        .toList());
    }
}
