package io.fanfold.execute;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.SettingsList;
import io.fanfold.status.StatusSource;
import io.fanfold.status.StatusTable;
import io.fanfold.status.StatusTable.StatusColumn;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The settings that hold now, as a status. Safe for all threads. */
record Settings(Supplier<FanfoldConfig> settings) implements StatusSource {
    @Override
    public StatusTable read(Viewer viewer) {
        return new StatusTable(
                List.of(StatusColumn.text("Variable_name"), StatusColumn.text("Value")),
                0,
                SettingsList.of(settings.get()).entrySet().stream()
                        .map(setting -> List.<@Nullable Object>of(setting.getKey(), setting.getValue()))
                        .toList());
    }
}
